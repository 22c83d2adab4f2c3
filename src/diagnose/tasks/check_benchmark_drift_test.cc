#include <gtest/gtest.h>

#include "diagnose/testing.h"

namespace auscult::diagnose {
namespace {

using testing::at;

void add_run(store::Store& store, const std::string& run, int64_t second, double gflops,
             bool trusted) {
  store::Batch batch;
  batch.results.push_back({.run_id = run,
                           .timestamp_ns = testing::start_ns + second * ns_per_s,
                           .benchmark = "cpu_compute",
                           .metric = "gflops",
                           .value = gflops,
                           .unit = "GFLOP/s",
                           .device = "cpu",
                           .tags = {.node_id = "node1"},
                           .params = {{"seconds", "1"}},
                           .preflight = {.passed = trusted, .warnings = {}}});
  ASSERT_TRUE(store.write_and_wait(std::move(batch)));
}

Finding ask(store::Store& store, const std::string& runs) {
  const auto finding =
      run_task("check_benchmark_drift",
               {{"node", "node1"}, {"benchmark", "cpu_compute"}, {"runs", runs}, {"end", at(1000)}},
               testing::context(store));
  EXPECT_TRUE(finding) << finding.error().message;
  return *finding;
}

TEST(CheckBenchmarkDrift, judges_the_runs_of_an_experiment_although_the_node_was_loaded) {
  store::MemoryStore store;
  for (int i = 0; i < 9; ++i) add_run(store, "base" + std::to_string(i), i, 100 + i * 0.1, true);
  for (int i = 0; i < 3; ++i) add_run(store, "now" + std::to_string(i), 500 + i, 40, false);

  const Finding finding = ask(store, "now0,now1,now2");

  EXPECT_EQ(finding.answer, Answer::found) << finding.statement;
  EXPECT_EQ(finding.value, 40);
  EXPECT_NEAR(*finding.baseline, 100.4, 1e-9);
  EXPECT_NEAR(finding.statistic->p, 1.0 / 220, 1e-9);  // 12 choose 3 ways, one as extreme
}

TEST(CheckBenchmarkDrift, equal_runs_are_clear) {
  store::MemoryStore store;
  for (int i = 0; i < 9; ++i) add_run(store, "base" + std::to_string(i), i, 100 + i * 0.1, true);
  for (int i = 0; i < 3; ++i) add_run(store, "now" + std::to_string(i), 500 + i, 100.2, false);
  EXPECT_EQ(ask(store, "now0,now1,now2").answer, Answer::clear);
}

TEST(CheckBenchmarkDrift, much_worse_than_a_baseline_that_spreads_too_much_is_undecided_not_clear) {
  store::MemoryStore store;
  const double spread[] = {20, 160, 30, 150, 40, 140, 50, 130, 100};
  for (int i = 0; i < 9; ++i) add_run(store, "base" + std::to_string(i), i, spread[i], true);
  for (int i = 0; i < 3; ++i) add_run(store, "now" + std::to_string(i), 500 + i, 35, false);
  const Finding finding = ask(store, "now0,now1,now2");
  EXPECT_EQ(finding.answer, Answer::no_data) << finding.statement;
  EXPECT_NE(finding.statement.find("spread too much"), std::string::npos) << finding.statement;
}

TEST(CheckBenchmarkDrift, too_few_baseline_runs_are_no_data_rather_than_fine) {
  store::MemoryStore store;
  for (int i = 0; i < 2; ++i) add_run(store, "base" + std::to_string(i), i, 100, true);
  for (int i = 0; i < 3; ++i) add_run(store, "now" + std::to_string(i), 500 + i, 40, false);
  const Finding finding = ask(store, "now0,now1,now2");
  EXPECT_EQ(finding.answer, Answer::no_data);
  EXPECT_NE(finding.statement.find("no baseline"), std::string::npos) << finding.statement;
}

TEST(CheckBenchmarkDrift, no_runs_at_all_are_no_data) {
  store::MemoryStore store;
  EXPECT_EQ(ask(store, "").answer, Answer::no_data);
}

}  // namespace
}  // namespace auscult::diagnose
