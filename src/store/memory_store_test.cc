#include "store/memory_store.h"

#include <gtest/gtest.h>

namespace auscult::store {
namespace {

constexpr int64_t ms = 1'000'000;

Batch one_sample(const std::string& metric, int64_t time_ns, double value) {
  Batch batch;
  batch.samples.push_back({.metric = metric,
                           .labels = {{"device", "sda"}},
                           .tags = {.node_id = "node1"},
                           .timestamp_ns = time_ns,
                           .value = value});
  return batch;
}

TEST(MemoryStore, gives_back_a_series_in_order_of_time_within_the_range) {
  MemoryStore store;
  ASSERT_TRUE(store.write_and_wait(one_sample("m", 30 * ms, 3)));
  ASSERT_TRUE(store.write_and_wait(one_sample("m", 10 * ms, 1)));
  ASSERT_TRUE(store.write_and_wait(one_sample("m", 20 * ms, 2)));

  const auto series = store.read_series(
      {.metric = "m", .node_id = "node1", .labels = {}, .range = {10 * ms, 30 * ms}});

  ASSERT_TRUE(series);
  ASSERT_EQ(series->size(), 1U);
  ASSERT_EQ((*series)[0].points.size(), 2U);
  EXPECT_EQ((*series)[0].points[0].value, 1);
  EXPECT_EQ((*series)[0].points[1].value, 2);
}

TEST(MemoryStore, a_failing_store_keeps_nothing) {
  MemoryStore store;
  store.fail_writes(Error{ErrorCode::unavailable, "disk full"});
  EXPECT_FALSE(store.write_and_wait(one_sample("m", 10 * ms, 1)));
  EXPECT_TRUE(store.node_ids({0, 100})->empty());
}

}  // namespace
}  // namespace auscult::store
