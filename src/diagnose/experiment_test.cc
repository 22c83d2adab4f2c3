#include "diagnose/experiment.h"

#include <gtest/gtest.h>

#include "diagnose/testing.h"

namespace auscult::diagnose {
namespace {

Fault fault(const std::string& id, std::vector<std::pair<std::string, double>> actions) {
  Fault made;
  made.id = id;
  for (const auto& [action, seconds] : actions) {
    made.experiments.push_back({.action = action,
                                .action_class = "snapshot",
                                .sees = "all",
                                .params = {},
                                .seconds = seconds,
                                .questions = {}});
  }
  return made;
}

TEST(Experiment, an_action_that_tests_two_hypotheses_is_made_once_and_first) {
  const std::vector<Fault> faults = {fault("a", {{"slow", 60}, {"snapshot", 10}}),
                                     fault("b", {{"snapshot", 10}})};
  const std::vector<Hypothesis> hypotheses = {{.fault = "a"}, {.fault = "b"}};

  const auto planned = plan_experiments(hypotheses, faults);

  ASSERT_EQ(planned.size(), 2U);
  EXPECT_EQ(planned[0].action, "snapshot");
  EXPECT_EQ(planned[0].consumers.size(), 2U);
  EXPECT_EQ(planned[1].action, "slow");
}

TEST(Experiment, a_benchmark_runs_with_the_parameters_of_the_largest_baseline) {
  store::MemoryStore store;
  store::Batch batch;
  for (int i = 0; i < 5; ++i) {
    batch.results.push_back({.run_id = "r" + std::to_string(i),
                             .timestamp_ns = testing::start_ns,
                             .benchmark = "storage",
                             .metric = "read_iops",
                             .value = 1,
                             .unit = {},
                             .device = "/",
                             .tags = {.node_id = "node1"},
                             .params = {{"found_out", "yes"},
                                        {"phases", "randread"},
                                        {"runtime", "1"},
                                        {"size", i < 2 ? "1G" : "256M"}}});
  }
  ASSERT_TRUE(store.write_and_wait(std::move(batch)));
  const ManualClock clock(testing::start_ns + ns_per_s);
  Json params(Json::Object{{"benchmark", "storage"}});

  ASSERT_TRUE(prepare_parameters(params, 60, "node1", store, clock));

  EXPECT_EQ(params["params"]["size"], Json("256M"));
  EXPECT_FALSE(params["params"].has("found_out"));  // a benchmark refuses what it does not know
}

TEST(Experiment, a_baseline_of_long_runs_gives_as_many_repeats_as_fit_and_none_is_said) {
  store::MemoryStore store;
  store::Batch batch;
  batch.results.push_back({.run_id = "r",
                           .timestamp_ns = testing::start_ns,
                           .benchmark = "cpu_compute",
                           .metric = "gflops",
                           .value = 1,
                           .unit = {},
                           .device = "cpu",
                           .tags = {.node_id = "node1"},
                           .params = {{"seconds", "20"}}});
  ASSERT_TRUE(store.write_and_wait(std::move(batch)));
  const ManualClock clock(testing::start_ns + ns_per_s);
  Json params(Json::Object{{"benchmark", "cpu_compute"}, {"repeats", 5}});

  ASSERT_TRUE(prepare_parameters(params, 60, "node1", store, clock));
  EXPECT_EQ(params["repeats"], Json(2));

  Json hurried(Json::Object{{"benchmark", "cpu_compute"}, {"repeats", 5}});
  // A run of some 20 s would fit into 28 s, with its preflight and preparations it does not.
  const auto refused = prepare_parameters(hurried, 28, "node1", store, clock);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("measure a shorter baseline"), std::string::npos);
}

TEST(Experiment, without_a_baseline_a_benchmark_would_prove_nothing) {
  store::MemoryStore store;
  const ManualClock clock(testing::start_ns);
  Json params(Json::Object{{"benchmark", "storage"}});
  const auto prepared = prepare_parameters(params, 60, "node1", store, clock);
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().code, ErrorCode::not_found);
}

TEST(Experiment, a_snapshot_needs_no_baseline) {
  store::MemoryStore store;
  const ManualClock clock(testing::start_ns);
  Json params(Json::Object{{"seconds", 2}});
  EXPECT_TRUE(prepare_parameters(params, 60, "node1", store, clock));
  EXPECT_FALSE(params.has("params"));
}

}  // namespace
}  // namespace auscult::diagnose
