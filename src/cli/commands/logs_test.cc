#include "base/file.h"
#include "base/json.h"
#include "cli/testing.h"

namespace auscult::cli {
namespace {

class LogsCommand : public CommandTest {
 protected:
  LogsCommand() { EXPECT_TRUE(write_file(file_, "one\ntwo\nthe error\nfour\nfive\n")); }
  const std::string file_ = (folder_.path() / "train.log").string();
};

TEST_F(LogsCommand, prints_a_match_with_its_neighbours) {
  EXPECT_EQ(run({"logs", "grep", "err.r", file_, "--context", "1"}), 0) << err_.str();
  EXPECT_EQ(out_.str(), "-- " + file_ + "\n2-two\n3:the error\n4-four\n");
}

TEST_F(LogsCommand, as_jsonl_a_line_is_an_object) {
  EXPECT_EQ(run({"logs", "grep", "error", file_, "--context", "0", "--format", "jsonl"}), 0);
  const auto json = Json::parse(out_.str());
  ASSERT_TRUE(json) << out_.str();
  EXPECT_EQ((*json)["line"], Json(3));
  EXPECT_EQ((*json)["matched"], Json(true));
  EXPECT_EQ((*json)["text"], Json("the error"));
}

TEST_F(LogsCommand, no_match_exits_1) {
  EXPECT_EQ(run({"logs", "grep", "nothing", file_}), 1);
  EXPECT_EQ(out_.str(), "");
}

TEST_F(LogsCommand, what_cannot_be_is_an_error) {
  EXPECT_NE(usage_error({"logs", "scan", "x", file_}).find("grep"), std::string::npos);
  EXPECT_NE(usage_error({"logs", "grep", "x", file_, "--context", "-1"}).find("--context"),
            std::string::npos);
  EXPECT_EQ(run({"logs", "grep", "(", file_}), 2) << err_.str();
  EXPECT_EQ(run({"logs", "grep", "x", file_ + ".none"}), 3) << err_.str();
  usage_error({"logs", "grep", "x"});
}

}  // namespace
}  // namespace auscult::cli
