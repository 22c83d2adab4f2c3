#include "collect/process_metrics.h"

#include <gtest/gtest.h>

#include <limits>

#include "collect/testing.h"

namespace auscult::collect {
namespace {

std::vector<int64_t> pids(const std::vector<ProcessUsage>& usages) {
  std::vector<int64_t> all;
  for (const auto& usage : usages) all.push_back(usage.pid);
  return all;
}

TEST(ProcessMetrics, the_top_five_of_each_kind_once) {
  std::vector<ProcessUsage> usages;
  for (int i = 1; i <= 40; ++i) usages.push_back({.pid = i});
  for (size_t i = 0; i < 10; ++i) {
    usages[i].cpu_cores = 10 - static_cast<double>(i);                    // pids 1..5
    usages[i + 10].rss_bytes = 10 - static_cast<double>(i);               // 11..15
    usages[i + 20].write_bytes_per_second = 10 - static_cast<double>(i);  // 21..25
  }
  usages[0].rss_bytes = 99;  // pid 1 tops two kinds

  const auto chosen = processes_that_matter(usages, {});

  EXPECT_EQ(pids(chosen),
            (std::vector<int64_t>{1, 2, 3, 4, 5, 11, 12, 13, 14, 21, 22, 23, 24, 25}));
}

TEST(ProcessMetrics, idle_processes_do_not_matter_unless_they_are_named) {
  const std::vector<ProcessUsage> usages = {{.pid = 1, .name = "idle"}, {.pid = 2, .name = "etcd"}};

  EXPECT_TRUE(processes_that_matter(usages, {}).empty());
  EXPECT_EQ(pids(processes_that_matter(usages, {"etcd"})), std::vector<int64_t>{2});
}

TEST(ProcessMetrics, processes_of_a_listed_name_are_bounded) {
  const std::vector<ProcessUsage> usages(500, {.pid = 1, .name = "worker"});

  EXPECT_EQ(processes_that_matter(usages, {"worker"}).size(), max_named_processes);
}

TEST(ProcessMetrics, rates_that_could_not_be_read_give_no_sample) {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  const auto samples = process_samples({{.pid = 9,
                                         .name = "caf\xC3",
                                         .cpu_cores = 0.5,
                                         .read_bytes_per_second = unknown,
                                         .write_bytes_per_second = unknown,
                                         .rss_bytes = 100}},
                                       {.node_id = "n"}, 5);

  const auto series = by_series(samples);
  EXPECT_EQ(series.size(), 2U);
  EXPECT_EQ(
      series.at("auscult_process_rss_bytes{name=\"caf\xEF\xBF\xBD\",node_id=\"n\",pid=\"9\"}"),
      100);
}

}  // namespace
}  // namespace auscult::collect
