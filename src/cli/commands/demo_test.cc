#include "base/file.h"
#include "cli/testing.h"

namespace auscult::cli {
namespace {

using DemoCommand = CommandTest;

TEST_F(DemoCommand, knows_four_illnesses) {
  EXPECT_NE(usage_error({"demo", "--fault", "plague"}).find("--fault"), std::string::npos);
  usage_error({"demo", "--be-ill", "none"});
}

TEST_F(DemoCommand, does_not_wipe_a_folder_that_no_demo_made) {
  const auto file = std::filesystem::path(data()) / "scratch" / "precious.txt";
  ASSERT_TRUE(make_folder(file.parent_path()));
  ASSERT_TRUE(write_file(file, "x"));

  const int status = run({"demo", "--fault", "cpu", "--data", data()});

  EXPECT_NE(status, 0);
  EXPECT_NE(err_.str().find(data()), std::string::npos) << err_.str();
  EXPECT_TRUE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace auscult::cli
