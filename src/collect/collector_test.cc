#include "collect/collector.h"

#include <gtest/gtest.h>

#include <chrono>
#include <utility>

#include "collect/testing.h"

namespace auscult::collect {
namespace {

TEST(CollectAll, a_collector_that_fails_loses_its_own_samples_and_says_so) {
  const MadeHost made;
  made.write("proc/loadavg", "broken\n");
  made.write("proc/uptime", "5.5 1\n");

  const auto collection = collect_all(made.host(), {}, 0);

  const auto series = by_series(collection.samples);
  EXPECT_EQ(collection.failures, 1U);
  ASSERT_EQ(collection.errors.size(), 1U);
  EXPECT_EQ(collection.errors[0], "loadavg: proc/loadavg:1: too few columns");
  EXPECT_EQ(series.at(R"(auscult_collector_success{collector="loadavg"})"), 0);
  EXPECT_EQ(series.at(R"(auscult_collector_success{collector="uptime"})"), 1);
  EXPECT_EQ(series.at("auscult_uptime_seconds"), 5.5);
  EXPECT_FALSE(series.contains("node_load1"));
}

TEST(CollectAll, stamps_every_sample_with_tags_and_time) {
  const auto collection = collect_all(machine("gpu_node"), {.cluster = "c", .node_id = "n1"}, 77);

  EXPECT_EQ(collection.failures, 0U);
  ASSERT_GT(collection.samples.size(), 50U);
  for (const auto& sample : collection.samples) {
    EXPECT_EQ(sample.timestamp_ns, 77);
    EXPECT_EQ(sample.tags.node_id, "n1");
    EXPECT_EQ(sample.tags.cluster, "c");
  }
}

TEST(Schedule, slow_facts_are_read_at_their_own_pace_and_the_rest_every_time) {
  Schedule schedule;
  const auto at = [&](std::chrono::milliseconds now) {
    const auto series = by_series(schedule.collect(machine("gpu_node"), {}, 0, now).samples);
    return std::pair(
        series.contains("node_load1"),
        series.contains(R"(auscult_block_device_misdetected_rotational{device="nvme0n1"})"));
  };
  using std::chrono::milliseconds;
  EXPECT_EQ(at(milliseconds(100'000)), std::pair(true, true));
  EXPECT_EQ(at(milliseconds(101'000)), std::pair(true, false));
  EXPECT_EQ(at(milliseconds(114'990)), std::pair(true, true)) << "a beat a little early";
  EXPECT_EQ(at(milliseconds(120'000)), std::pair(true, false));
  EXPECT_EQ(at(milliseconds(130'000)), std::pair(true, true));
}

TEST(CollectAll, labels_are_sorted_as_series_ids_need_them) {
  for (const auto& sample : collect_all(machine("gpu_node"), {}, 0).samples) {
    auto sorted = sample.labels;
    model::normalise(sorted);
    EXPECT_EQ(sample.labels, sorted) << sample.metric;
  }
}

}  // namespace
}  // namespace auscult::collect
