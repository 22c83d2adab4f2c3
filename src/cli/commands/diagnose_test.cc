#include "cli/testing_server.h"

namespace auscult::cli {
namespace {

using DiagnoseCommand = ServedCommandTest;

TEST_F(DiagnoseCommand, shows_the_diagnosis_of_an_incident_and_exits_1_when_something_is_wrong) {
  add_incident("i1");
  EXPECT_EQ(ask({"diagnose", "--incident", "i1"}), 1) << err_.str();
  EXPECT_TRUE(printed("incident i1: verdict fault"));
  EXPECT_TRUE(printed("1. cpu_contention  supported"));

  EXPECT_EQ(ask({"diagnose", "--incident", "i1", "--format", "json"}), 1);
  const auto json = Json::parse(out_.str());
  ASSERT_TRUE(json);
  EXPECT_EQ((*json)["verdict"], Json("fault"));
}

TEST_F(DiagnoseCommand, a_healthy_node_exits_0_and_no_data_is_not_healthy) {
  add_incident("i1", "healthy");
  EXPECT_EQ(ask({"diagnose", "--incident", "i1"}), 0) << err_.str();
  EXPECT_EQ(ask({"diagnose", "--node", "nobody"}), 1) << err_.str();
  EXPECT_TRUE(printed("verdict no_data")) << out_.str();
}

TEST_F(DiagnoseCommand, runs_one_task_again) {
  const std::vector<std::string> task = {"diagnose",
                                         "--task",
                                         "check_metric",
                                         "--param",
                                         "node=n",
                                         "--param",
                                         "signal=io_pressure_ratio",
                                         "--param",
                                         "start=" + diagnose::testing::at(60),
                                         "--param",
                                         "end=" + diagnose::testing::at(70),
                                         "--param",
                                         "baseline_start=" + diagnose::testing::at(0),
                                         "--param",
                                         "baseline_end=" + diagnose::testing::at(60)};
  EXPECT_EQ(ask(task), 0) << err_.str();
  EXPECT_TRUE(out_.str().starts_with("no_data: ")) << out_.str();
}

TEST_F(DiagnoseCommand, what_cannot_be_is_a_usage_error) {
  EXPECT_NE(usage_error({"diagnose"}).find("one of --node"), std::string::npos);
  EXPECT_NE(usage_error({"diagnose", "--node", "n", "--incident", "i"}).find("one of --node"),
            std::string::npos);
  EXPECT_EQ(ask({"diagnose", "--task", "no_such"}), 2);
  EXPECT_EQ(ask({"diagnose", "--task", "check_metric", "--param", "x"}), 2);
  EXPECT_EQ(ask({"diagnose", "--incident", "none"}), 3);
}

}  // namespace
}  // namespace auscult::cli
