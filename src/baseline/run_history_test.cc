#include "baseline/run_history.h"

#include <gtest/gtest.h>

namespace auscult::baseline {
namespace {

model::BenchmarkResult result(const std::string& run_id, int64_t timestamp_ns,
                              const std::string& metric, double value) {
  model::BenchmarkResult one;
  one.run_id = run_id;
  one.timestamp_ns = timestamp_ns;
  one.benchmark = "disk";
  one.metric = metric;
  one.value = value;
  one.unit = "1/s";
  one.device = "/data";
  one.tags.node_id = "n1";
  one.params = {{"bs", "4k"}, {"size", "1G"}};
  return one;
}

TEST(RunHistory, the_metrics_of_a_run_come_together_oldest_run_first) {
  const auto histories = run_histories(
      {result("b", 20, "iops", 7), result("a", 10, "iops", 5), result("a", 10, "p99", 6)});

  ASSERT_EQ(histories.size(), 1U);
  const auto& runs = histories[0].runs;
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].run_id, "a");
  EXPECT_EQ(runs[0].values.at("iops").value, 5);
  EXPECT_EQ(runs[0].values.at("p99").value, 6);
  EXPECT_EQ(runs[1].run_id, "b");
}

TEST(RunHistory, what_may_not_be_compared_is_another_history) {
  auto other_node = result("1", 1, "iops", 1);
  other_node.tags.node_id = "n2";
  auto other_device = result("2", 1, "iops", 1);
  other_device.device = "/scratch";
  auto other_benchmark = result("3", 1, "iops", 1);
  other_benchmark.benchmark = "tape";
  auto other_params = result("4", 1, "iops", 1);
  other_params.params = {{"bs", "1M"}, {"size", "1G"}};
  auto same_params = result("5", 1, "iops", 1);
  same_params.params = {{"size", "1G"}, {"bs", "4k"}};  // the order says nothing

  const auto histories = run_histories({result("0", 1, "iops", 1), other_node, other_device,
                                        other_benchmark, other_params, same_params});

  EXPECT_EQ(histories.size(), 5U);
}

TEST(RunHistory, one_untrusted_metric_makes_the_run_untrusted) {
  auto bad = result("a", 10, "p99", 6);
  bad.preflight.passed = false;

  const auto histories = run_histories({bad, result("a", 10, "iops", 5)});

  EXPECT_FALSE(histories.at(0).runs.at(0).trusted);
}

TEST(RunHistory, a_result_delivered_twice_is_one_value) {
  const auto histories = run_histories({result("a", 10, "iops", 5), result("a", 10, "iops", 5)});

  ASSERT_EQ(histories.at(0).runs.size(), 1U);
  EXPECT_EQ(histories[0].runs[0].values.size(), 1U);
}

}  // namespace
}  // namespace auscult::baseline
