#include "alert/signal.h"

#include <gtest/gtest.h>

#include <cmath>

namespace auscult::alert {
namespace {

// One point a second from second 1 on.
store::Series series(const std::string& metric, model::Labels labels,
                     const std::vector<double>& values) {
  store::Series made{.metric = metric, .labels = std::move(labels), .tags = {}, .points = {}};
  int64_t time_s = 1;
  for (const double value : values) made.points.push_back({time_s++ * ns_per_s, value});
  return made;
}

TEST(Signal, busy_cpu_is_what_is_neither_idle_nor_waiting_for_a_disk) {
  const auto result = evaluate_signal(
      *find_signal("cpu_busy_ratio"),
      {series("node_cpu_seconds_total", {{"cpu", "0"}, {"mode", "idle"}}, {0, 0.5}),
       series("node_cpu_seconds_total", {{"cpu", "0"}, {"mode", "iowait"}}, {0, 0.1}),
       series("node_cpu_seconds_total", {{"cpu", "0"}, {"mode", "user"}}, {0, 0.4}),
       series("node_cpu_seconds_total", {{"cpu", "1"}, {"mode", "idle"}}, {0, 1.0})});

  ASSERT_EQ(result.size(), 1U);
  ASSERT_EQ(result[0].points.size(), 1U);
  EXPECT_NEAR(result[0].points[0].value, 0.2, 1e-12);
}

TEST(Signal, a_counter_that_began_anew_gives_no_point) {
  const auto result =
      evaluate_signal(*find_signal("io_pressure_ratio"),
                      {series("node_pressure_io_waiting_seconds_total", {}, {5, 5.5, 0.1, 0.3})});

  ASSERT_EQ(result.size(), 1U);
  ASSERT_EQ(result[0].points.size(), 2U);
  EXPECT_NEAR(result[0].points[0].value, 0.5, 1e-12);
  EXPECT_NEAR(result[0].points[1].value, 0.2, 1e-12);
}

TEST(Signal, a_disk_without_requests_has_no_mean_request_time) {
  const auto result = evaluate_signal(
      *find_signal("disk_await_seconds"),
      {series("node_disk_read_time_seconds_total", {{"device", "vda"}}, {0, 0.2, 0.2}),
       series("node_disk_write_time_seconds_total", {{"device", "vda"}}, {0, 0.3, 0.3}),
       series("node_disk_reads_completed_total", {{"device", "vda"}}, {0, 20, 20}),
       series("node_disk_writes_completed_total", {{"device", "vda"}}, {0, 30, 30})});

  ASSERT_EQ(result.size(), 1U);
  EXPECT_EQ(result[0].device, "vda");
  ASSERT_EQ(result[0].points.size(), 1U);
  EXPECT_NEAR(result[0].points[0].value, 0.01, 1e-12);
}

TEST(Signal, disks_are_kept_apart_and_memory_disks_left_out) {
  const auto result =
      evaluate_signal(*find_signal("disk_busy_ratio"),
                      {series("node_disk_io_time_seconds_total", {{"device", "sda"}}, {0, 1}),
                       series("node_disk_io_time_seconds_total", {{"device", "sdb"}}, {0, 0.25}),
                       series("node_disk_io_time_seconds_total", {{"device", "loop0"}}, {0, 1})});

  ASSERT_EQ(result.size(), 2U);
  EXPECT_EQ(result[0].device, "sda");
  EXPECT_EQ(result[1].points[0].value, 0.25);
}

TEST(Signal, its_promql_selects_the_node_and_the_device) {
  EXPECT_EQ(promql_for(*find_signal("disk_busy_ratio"), "n1", "sda"),
            "rate(node_disk_io_time_seconds_total{node_id=\"n1\",device=\"sda\"}[1m])");
  EXPECT_EQ(promql_for(*find_signal("cpu_busy_ratio"), "n1", ""),
            "1 - sum(rate(node_cpu_seconds_total{node_id=\"n1\",mode=~\"idle|iowait\"}[1m])) / "
            "sum(rate(node_cpu_seconds_total{node_id=\"n1\"}[1m]))");
}

TEST(Signal, no_series_is_no_signal_rather_than_zero) {
  EXPECT_TRUE(evaluate_signal(*find_signal("io_pressure_ratio"), {}).empty());
}

}  // namespace
}  // namespace auscult::alert
