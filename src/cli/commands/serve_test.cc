#include "base/file.h"
#include "cli/testing.h"

namespace auscult::cli {
namespace {

using ServeCommand = CommandTest;

TEST_F(ServeCommand, a_port_out_of_range_is_refused_before_anything_starts) {
  EXPECT_NE(usage_error({"serve", "--otlp-port", "65536"}).find("65535"), std::string::npos);
  EXPECT_NE(usage_error({"serve", "--http-port", "-2"}).find("65535"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(data()));
}

TEST_F(ServeCommand, a_wrong_configuration_is_told_with_its_line) {
  const auto file = folder_.path() / "server.yaml";
  ASSERT_TRUE(write_file(file, "otlp_prot: 1\n"));
  const auto line = usage_error({"serve", "--config", file.string()});
  EXPECT_NE(line.find("server.yaml:1"), std::string::npos) << line;
}

TEST_F(ServeCommand, beyond_loopback_it_is_refused) {
  EXPECT_NE(usage_error({"serve", "--address", "0.0.0.0"}).find("loopback"), std::string::npos);
}

}  // namespace
}  // namespace auscult::cli
