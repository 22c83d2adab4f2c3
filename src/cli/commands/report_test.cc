#include "cli/testing_server.h"

namespace auscult::cli {
namespace {

using ReportCommand = ServedCommandTest;

TEST_F(ReportCommand, shows_a_report_as_markdown_or_json) {
  add_incident("i1");
  EXPECT_EQ(ask({"report", "show", "--incident", "i1"}), 0) << err_.str();
  EXPECT_TRUE(out_.str().starts_with("# Diagnosis of i1\n"));
  EXPECT_EQ(ask({"report", "show", "--incident", "i1", "--format", "json"}), 0);
  EXPECT_TRUE(Json::parse(out_.str()));
}

TEST_F(ReportCommand, stats_say_how_fast_and_no_data_where_nothing_was_measured) {
  add_incident("i1");
  EXPECT_EQ(ask({"report", "stats"}), 0) << err_.str();
  EXPECT_TRUE(printed("1 incidents, 1 located")) << out_.str();
  EXPECT_TRUE(printed("time_to_notice                 1  5 s")) << out_.str();
  EXPECT_TRUE(printed("no data"));
}

TEST_F(ReportCommand, what_cannot_be_is_an_error) {
  EXPECT_NE(usage_error({"report", "print"}).find("show and stats"), std::string::npos);
  EXPECT_NE(usage_error({"report", "show"}).find("--incident ID"), std::string::npos);
  EXPECT_EQ(ask({"report", "show", "--incident", "none"}), 3);
}

}  // namespace
}  // namespace auscult::cli
