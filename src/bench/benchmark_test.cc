#include "bench/benchmark.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "bench/host_tree.h"
#include "bench/preflight.h"

namespace auscult::bench {
namespace {

constexpr int64_t now_ns = 1'796'117'400'123'000'000;  // 2026-12-01T09:30:00.123Z

RunOptions probe_of(const HostTree& tree) {
  RunOptions options{.benchmark = "probe", .preflight = false};
  options.request.root = tree.root();
  options.request.params = {{"seconds", "0.01"}};
  options.tags.node_id = "n1";
  return options;
}

TEST(RunBenchmark, gives_one_result_for_each_metric_with_what_they_share) {
  HostTree tree(testing::TempDir());
  tree.write("proc/uptime", "100.5 300\n").write("proc/loadavg", "0.25 0.1 0.1 1/100 7\n");
  const ManualClock clock(now_ns);

  const auto results = run_benchmark(probe_of(tree), clock);

  ASSERT_TRUE(results) << results.error().message;
  ASSERT_EQ(results->size(), 2U);
  const auto& [uptime, load] = std::tie((*results)[0], (*results)[1]);
  EXPECT_EQ(uptime.metric, "uptime");
  EXPECT_EQ(uptime.value, 100.5);
  EXPECT_EQ(uptime.unit, "s");
  EXPECT_EQ(load.metric, "load1");
  EXPECT_EQ(load.run_id, uptime.run_id);
  EXPECT_EQ(load.benchmark, "probe");
  EXPECT_EQ(load.device, "node");
  EXPECT_EQ(load.tags.node_id, "n1");
  EXPECT_EQ(load.timestamp_ns, now_ns);
  EXPECT_EQ(load.params, (model::Labels{{"seconds", "0.01"}}));
  EXPECT_EQ(load.provenance.git_commit, git_commit());
  EXPECT_FALSE(load.provenance.cluster_version.empty());
}

TEST(RunBenchmark, run_ids_sort_by_time_and_differ_within_a_millisecond) {
  HostTree tree(testing::TempDir());
  tree.write("proc/uptime", "1 1\n");
  ManualClock clock(now_ns);
  const auto first = run_benchmark(probe_of(tree), clock);
  const auto same_time = run_benchmark(probe_of(tree), clock);
  clock.advance(std::chrono::milliseconds(1));
  const auto later = run_benchmark(probe_of(tree), clock);
  ASSERT_TRUE(first && same_time && later);

  EXPECT_TRUE(first->front().run_id.starts_with("20261201T093000.123Z-")) << first->front().run_id;
  EXPECT_NE(first->front().run_id, same_time->front().run_id);
  EXPECT_LT(first->front().run_id, later->front().run_id);
  EXPECT_LT(same_time->front().run_id, later->front().run_id);
}

TEST(RunBenchmark, an_unknown_benchmark_is_named_with_the_nearest) {
  const auto results = run_benchmark({.benchmark = "storrage"}, system_clock());
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, ErrorCode::not_found);
  EXPECT_NE(results.error().message.find("'storage'"), std::string::npos);
}

TEST(RunBenchmark, an_unknown_parameter_is_refused_before_anything_runs) {
  RunOptions options{.benchmark = "cpu_compute"};
  options.request.params = {{"second", "1"}};
  const auto results = run_benchmark(options, system_clock());
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, ErrorCode::invalid_input);
  EXPECT_NE(results.error().message.find("did you mean 'seconds'?"), std::string::npos);
}

TEST(RunBenchmark, nothing_observed_is_unavailable_and_no_empty_success) {
  const HostTree empty(testing::TempDir());
  const auto results = run_benchmark(probe_of(empty), system_clock());
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, ErrorCode::unavailable);
}

TEST(RunPreflight, a_failed_check_is_not_passed_and_a_missing_fact_is_only_said) {
  HostTree tree(testing::TempDir());
  tree.write("proc/self/mountinfo", "27 1 0:25 / / rw - tmpfs tmpfs rw\n");
  Request request{.params = {{"size", "4M"}}, .scratch = testing::TempDir(), .root = tree.root()};

  const auto outcome = run_preflight("storage", request);

  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_FALSE(outcome->passed);
  const auto has = [&](std::string_view text) {
    return std::any_of(outcome->warnings.begin(), outcome->warnings.end(),
                       [&](const auto& line) { return line.find(text) != std::string::npos; });
  };
  EXPECT_TRUE(has("scratch_is_memory: failed: "));
  EXPECT_TRUE(has("cpu_governor: not checked: "));
}

TEST(RunPreflight, the_disk_is_judged_only_for_benchmarks_that_write) {
  HostTree tree(testing::TempDir());
  tree.write("proc/self/mountinfo", "27 1 0:25 / / rw - tmpfs tmpfs rw\n");
  const auto outcome =
      run_preflight("cpu_compute", {.scratch = testing::TempDir(), .root = tree.root()});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_TRUE(outcome->passed);
}

TEST(AllBenchmarks, name_only_checks_and_figures_that_exist) {
  const auto checks = all_preflight();
  for (const auto& [name, benchmark] : all_benchmarks()) {
    EXPECT_FALSE(benchmark.summary.empty()) << name;
    EXPECT_NE(benchmark.run, nullptr) << name;
    ASSERT_NE(benchmark.expected_seconds, nullptr) << name;
    EXPECT_GT(benchmark.expected_seconds(benchmark.defaults), 0) << name;
    EXPECT_TRUE(std::is_sorted(benchmark.defaults.begin(), benchmark.defaults.end())) << name;
    for (const auto check : benchmark.preflight) {
      EXPECT_NE(find_named(checks, check), nullptr) << name << " wants " << check;
    }
  }
}

TEST(CompleteParams, fills_in_the_defaults_of_a_benchmark) {
  const auto params = complete_params("storage", {{"size", "256M"}});
  ASSERT_TRUE(params) << params.error().message;
  EXPECT_EQ(model::label(*params, "size"), "256M");
  EXPECT_EQ(model::label(*params, "iodepth"), "32");
  EXPECT_FALSE(complete_params("nothing", {}));
}

}  // namespace
}  // namespace auscult::bench
