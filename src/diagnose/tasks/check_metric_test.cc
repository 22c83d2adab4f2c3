#include <gtest/gtest.h>

#include "diagnose/testing.h"

namespace auscult::diagnose {
namespace {

using testing::at;

TaskParameters parameters(const std::string& signal) {
  return {{"node", "node1"}, {"signal", signal},        {"start", at(70)},
          {"end", at(90)},   {"baseline_start", at(0)}, {"baseline_end", at(60)}};
}

void add_io_pressure(store::Store& store, const std::string& rates) {
  testing::add_counter(store, "node_pressure_io_waiting_seconds_total", {}, testing::series(rates));
}

TEST(CheckMetric, finds_a_signal_that_left_its_baseline) {
  store::MemoryStore store;
  add_io_pressure(store, "0.02x69 0.9x20");

  const auto finding =
      run_task("check_metric", parameters("io_pressure_ratio"), testing::context(store));

  ASSERT_TRUE(finding) << finding.error().message;
  EXPECT_EQ(finding->answer, Answer::found) << finding->statement;
  EXPECT_NEAR(finding->value, 0.9, 1e-9);
  EXPECT_NEAR(*finding->baseline, 0.02, 1e-9);
  EXPECT_FALSE(finding->statistic);  // a baseline that never varied has no spread to count in
}

TEST(CheckMetric, a_change_below_the_smallest_that_counts_is_clear) {
  store::MemoryStore store;
  add_io_pressure(store, "0.02x69 0.1x20");
  auto given = parameters("io_pressure_ratio");
  given["min_change"] = "0.2";
  EXPECT_EQ(run_task("check_metric", given, testing::context(store))->answer, Answer::clear);
}

TEST(CheckMetric, worse_within_what_the_baseline_itself_varies_is_undecided_not_clear) {
  store::MemoryStore store;
  add_io_pressure(store, "0.0x20 0.9x15 0.1x20 0.8x14 0.5x20");
  auto given = parameters("io_pressure_ratio");
  given["min_change"] = "0.2";
  const auto finding = run_task("check_metric", given, testing::context(store));
  EXPECT_EQ(finding->answer, Answer::no_data) << finding->statement;
  EXPECT_NE(finding->statement.find("varies as much"), std::string::npos) << finding->statement;
}

TEST(CheckMetric, a_change_for_the_better_is_clear) {
  store::MemoryStore store;
  add_io_pressure(store, "0.9x69 0.02x20");
  EXPECT_EQ(
      run_task("check_metric", parameters("io_pressure_ratio"), testing::context(store))->answer,
      Answer::clear);
}

TEST(CheckMetric, less_memory_is_worse) {
  store::MemoryStore store;
  testing::add_gauge(store, "node_memory_MemAvailable_bytes", {}, testing::series("80x69 10x20"));
  testing::add_gauge(store, "node_memory_MemTotal_bytes", {}, testing::series("100x89"));
  auto given = parameters("memory_available_ratio");
  given["min_change"] = "0.2";
  const auto finding = run_task("check_metric", given, testing::context(store));
  EXPECT_EQ(finding->answer, Answer::found);
  EXPECT_NEAR(finding->value, 0.1, 1e-9);
}

TEST(CheckMetric, nothing_observed_is_no_data_and_says_what_is_missing) {
  store::MemoryStore store;
  const auto finding =
      run_task("check_metric", parameters("io_pressure_ratio"), testing::context(store));
  EXPECT_EQ(finding->answer, Answer::no_data);
  EXPECT_NE(finding->statement.find("was not observed on node1"), std::string::npos);
}

TEST(CheckMetric, without_a_baseline_a_high_value_is_no_data_not_a_finding) {
  store::MemoryStore store;
  auto given = parameters("io_pressure_ratio");
  given["baseline_start"] = at(-100);
  given["baseline_end"] = at(-50);
  add_io_pressure(store, "0.02x69 0.9x20");
  EXPECT_EQ(run_task("check_metric", given, testing::context(store))->answer, Answer::no_data);
}

TEST(CheckMetric, a_bound_alone_decides_where_there_is_no_baseline) {
  store::MemoryStore store;
  testing::add_gauge(store, "auscult_block_device_misdetected_rotational", {{"device", "nvme0n1"}},
                     testing::series("1x89"));
  auto given = parameters("block_device_misdetected_rotational");
  given["bound"] = "1";
  given["baseline_start"] = at(-100);
  given["baseline_end"] = at(-50);
  const auto finding = run_task("check_metric", given, testing::context(store));
  EXPECT_EQ(finding->answer, Answer::found);
  EXPECT_EQ(finding->detail["device"], Json("nvme0n1"));
}

TEST(CheckMetric, a_flag_that_was_always_up_is_found_although_it_did_not_change) {
  store::MemoryStore store;
  testing::add_gauge(store, "auscult_block_device_misdetected_rotational", {{"device", "nvme0n1"}},
                     testing::series("1x89"));
  auto given = parameters("block_device_misdetected_rotational");
  given["bound"] = "1";
  given["against_baseline"] = "false";
  EXPECT_EQ(run_task("check_metric", given, testing::context(store))->answer, Answer::found);
}

TEST(CheckMetric, names_the_worst_of_several_devices) {
  store::MemoryStore store;
  testing::add_counter(store, "node_disk_io_time_seconds_total", {{"device", "sda"}},
                       testing::series("0.1x89"));
  testing::add_counter(store, "node_disk_io_time_seconds_total", {{"device", "sdb"}},
                       testing::series("0.1x69 1x20"));
  const auto finding =
      run_task("check_metric", parameters("disk_busy_ratio"), testing::context(store));
  EXPECT_EQ(finding->answer, Answer::found);
  EXPECT_EQ(finding->detail["device"], Json("sdb"));
}

}  // namespace
}  // namespace auscult::diagnose
