#include "cli/testing.h"

namespace auscult::cli {
namespace {

class SyncCommand : public CommandTest {};

TEST_F(SyncCommand, what_cannot_be_is_a_usage_error) {
  const std::vector<std::string> good = {"sync", "prometheus", "--from", "http://127.0.0.1:1"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), good.begin(), good.end());
    return usage_error(more);
  };
  EXPECT_NE(usage_error({"sync", "influx"}).find("not 'influx'"), std::string::npos);
  EXPECT_NE(usage_error({"sync", "prometheus"}).find("--from URL is missing"), std::string::npos);
  EXPECT_NE(usage_error({"sync", "prometheus", "--from", "ftp://p"}).find("https"),
            std::string::npos);
  EXPECT_NE(with({"--since", "7"}).find("--since: '7' is no duration"), std::string::npos);
  EXPECT_NE(with({"--every", "0s"}).find("--every must be above 0"), std::string::npos);
  EXPECT_NE(with({"--match", "{}"}).find("'{}' is no selector of series"), std::string::npos);
}

}  // namespace
}  // namespace auscult::cli
