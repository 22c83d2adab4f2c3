#include <gtest/gtest.h>

#include "diagnose/testing.h"

namespace auscult::diagnose {
namespace {

using testing::at;

TaskParameters parameters() {
  return {{"node", "node1"},
          {"x", "disk_bytes_per_second"},
          {"y", "io_pressure_ratio"},
          {"start", at(60)},
          {"end", at(80)},
          {"signals", "memory_available_bytes"}};
}

void add_disk(store::Store& store, const std::string& rates) {
  testing::add_counter(store, "node_disk_read_bytes_total", {{"device", "sda"}},
                       testing::series(rates));
}
void add_pressure(store::Store& store, const std::string& rates) {
  testing::add_counter(store, "node_pressure_io_waiting_seconds_total", {}, testing::series(rates));
}

TEST(CorrelateMetrics, finds_two_signals_that_rose_together) {
  store::MemoryStore store;
  add_disk(store, "10x30 12x30 900x20");
  add_pressure(store, "0.01x30 0.02x30 0.9x20");

  const auto finding = run_task("correlate_metrics", parameters(), testing::context(store));

  ASSERT_TRUE(finding) << finding.error().message;
  EXPECT_EQ(finding->answer, Answer::found) << finding->statement;
  EXPECT_GT(finding->value, 0.99);
}

TEST(CorrelateMetrics, the_matrix_has_ones_on_its_diagonal_and_null_where_nothing_is_known) {
  store::MemoryStore store;
  add_disk(store, "10x30 12x30 900x20");
  add_pressure(store, "0.01x30 0.02x30 0.9x20");

  const auto finding = run_task("correlate_metrics", parameters(), testing::context(store));

  const Json& matrix = finding->detail["matrix"]["pearson"];
  EXPECT_NEAR(matrix.array()[0].array()[0].number_or(0), 1, 1e-12);
  EXPECT_NEAR(matrix.array()[0].array()[1].number_or(0), matrix.array()[1].array()[0].number_or(1),
              1e-12);
  EXPECT_TRUE(matrix.array()[0].array()[2].is_null());
}

TEST(CorrelateMetrics, waits_without_bytes_are_clear) {
  store::MemoryStore store;
  add_disk(store, "10x30 900x15 10x35");
  add_pressure(store, "0.01x60 0.9x20");
  EXPECT_EQ(run_task("correlate_metrics", parameters(), testing::context(store))->answer,
            Answer::clear);
}

TEST(CorrelateMetrics, a_signal_that_never_moved_is_no_data) {
  store::MemoryStore store;
  add_disk(store, "10x80");
  add_pressure(store, "0.01x60 0.9x20");
  EXPECT_EQ(run_task("correlate_metrics", parameters(), testing::context(store))->answer,
            Answer::no_data);
}

TEST(CorrelateMetrics, too_few_common_points_are_no_data) {
  store::MemoryStore store;
  add_disk(store, "10x3");
  add_pressure(store, "0.01x3");
  EXPECT_EQ(run_task("correlate_metrics", parameters(), testing::context(store))->answer,
            Answer::no_data);
}

}  // namespace
}  // namespace auscult::diagnose
