#include "cli/testing.h"

namespace auscult::cli {
namespace {

using VersionCommand = CommandTest;

TEST_F(VersionCommand, says_version_and_commit) {
  EXPECT_EQ(run({"version"}), 0);
  EXPECT_TRUE(out_.str().starts_with("auscult ")) << out_.str();
  EXPECT_TRUE(out_.str().ends_with(")\n"));
  const auto text = out_.str();
  EXPECT_EQ(run({"--version"}), 0);
  EXPECT_EQ(out_.str(), text);
}

}  // namespace
}  // namespace auscult::cli
