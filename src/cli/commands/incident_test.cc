#include "cli/testing_server.h"

namespace auscult::cli {
namespace {

using IncidentCommand = ServedCommandTest;

TEST_F(IncidentCommand, lists_shows_and_closes) {
  add_incident("i1");
  EXPECT_EQ(ask({"incident", "list"}), 0) << err_.str();
  EXPECT_TRUE(printed("i1        diagnosed  fault    cpu_contention  tasks wait")) << out_.str();

  EXPECT_EQ(ask({"incident", "show", "i1"}), 0);
  EXPECT_TRUE(printed("i1: diagnosed, tasks wait"));
  EXPECT_TRUE(printed("  opened  alert  "));

  EXPECT_EQ(ask({"incident", "close", "i1", "--by", "ada", "--words", "a stray job"}), 0);
  EXPECT_EQ(out_.str(), "i1: closed\n");
  EXPECT_EQ(ask({"incident", "show", "i1", "--format", "json"}), 0);
  EXPECT_EQ((*Json::parse(out_.str()))["closed"]["words"], Json("a stray job"));
}

TEST_F(IncidentCommand, what_cannot_be_is_an_error) {
  EXPECT_NE(usage_error({"incident", "open"}).find("list, show and close"), std::string::npos);
  EXPECT_NE(usage_error({"incident", "show"}).find("incident show ID"), std::string::npos);
  add_incident("i1");
  EXPECT_EQ(ask({"incident", "close", "i1"}), 2) << "nobody closed it";
  EXPECT_EQ(ask({"incident", "show", "i2"}), 3);
}

TEST_F(IncidentCommand, long_details_are_shortened_and_json_has_all_of_them) {
  const std::string words(500, 'x');
  api_.add_event("i1", "opened",
                 Json(Json::Object{{"node_id", "node1"}, {"trigger", "tasks wait"}}));
  api_.add_event("i1", "closed", Json(Json::Object{{"words", words}}));

  EXPECT_EQ(ask({"incident", "show", "i1"}), 0);
  EXPECT_TRUE(printed("xxx...\n")) << out_.str();
  EXPECT_FALSE(printed(std::string(200, 'x')));
  EXPECT_EQ(ask({"incident", "show", "i1", "--format", "json"}), 0);
  EXPECT_TRUE(printed(words));
}

}  // namespace
}  // namespace auscult::cli
