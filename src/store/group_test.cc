#include "store/group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/clock.h"
#include "store/native.h"
#include "store/series_catalog.h"

namespace auscult::store {
namespace {

constexpr int64_t day_ns = 86'400 * ns_per_s;

const Block* find_block(const Group& group, const std::string& table) {
  for (const Block& block : group.blocks) {
    if (block.table == table) return &block;
  }
  return nullptr;
}

TEST(Group, has_a_block_for_each_table_with_rows_and_the_ids_last) {
  SeriesCatalog catalog({}, system_clock());
  Batch a{.id = "a"};
  a.samples.push_back({.metric = "m", .timestamp_ns = 1});
  Batch b;  // without an id
  b.events.push_back({.incident_id = "i"});
  ASSERT_TRUE(make_points(a, catalog));
  const Group group = build_group({&a, &b}, 7);
  EXPECT_EQ(group.rows, 2U);
  EXPECT_EQ(group.batch_ids, std::vector<std::string>{"a"});
  ASSERT_EQ(group.blocks.size(), 4U);
  EXPECT_EQ(group.blocks.back().table, "ingest_batches");
  EXPECT_EQ(group.blocks.back().rows, 2U);  // the group itself, and "a"
  EXPECT_EQ(find_block(group, "logs"), nullptr);
}

TEST(Group, announces_new_series_and_those_of_yesterday) {
  Batch batch;
  batch.samples = {{.metric = "m"}, {.metric = "m"}, {.metric = "n"}};
  SeriesCatalog catalog({}, system_clock());
  ASSERT_TRUE(make_points(batch, catalog));
  CatalogSeries& m = SeriesCatalog::entry(*batch.points.series[0]);
  const uint64_t now_ms = 10 * series_lifetime_ms;
  EXPECT_EQ(find_block(build_group({&batch}, now_ms), "series")->rows, 2U);
  m.announced_ms = now_ms - series_lifetime_ms + 1;
  const Group fresh = build_group({&batch}, now_ms);
  EXPECT_EQ(find_block(fresh, "series")->rows, 1U);
  EXPECT_NE(fresh.announced.at(0), m.id);
  m.announced_ms = now_ms - series_lifetime_ms;
  EXPECT_EQ(find_block(build_group({&batch}, now_ms), "series")->rows, 2U);
}

TEST(Group, samples_are_columns_in_the_order_of_the_table) {
  SeriesCatalog catalog({}, system_clock());
  Batch batch;
  batch.samples = {{.metric = "m", .timestamp_ns = 9'999'999, .value = 1.5},
                   {.metric = "n", .timestamp_ns = 7'000'000, .value = 2.5},
                   {.metric = "m", .timestamp_ns = 5'000'000, .value = 3.5}};
  ASSERT_TRUE(make_points(batch, catalog));
  EXPECT_TRUE(batch.samples.empty());

  const Group group = build_group({&batch}, 7);

  const Block& block = *find_block(group, "samples");
  EXPECT_EQ(block.rows, 3U);
  const NativeReader reader(block.data);
  const auto ids = reader.column<uint64_t>("id");
  ASSERT_EQ(ids.size(), 3U);
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  EXPECT_EQ(reader.column<int64_t>("stored_at"), std::vector<int64_t>(3, 7));
  const auto points = points_of(group, catalog);
  ASSERT_EQ(points.size(), 3U);
  std::map<std::string, std::vector<std::pair<int64_t, double>>> by_metric;
  for (size_t i = 0; i < points.size(); ++i) {
    by_metric[points.series[i]->metric].emplace_back(points.timestamps_ms[i], points.values[i]);
  }
  EXPECT_EQ(by_metric["m"], (std::vector<std::pair<int64_t, double>>{{5, 3.5}, {9, 1.5}}));
  EXPECT_EQ(by_metric["n"], (std::vector<std::pair<int64_t, double>>{{7, 2.5}}));
}

TEST(Group, a_batch_of_unstorable_times_is_refused_with_the_time) {
  Batch batch;
  batch.spans.push_back({.start_ns = -1});
  const auto valid = validate(batch);
  ASSERT_FALSE(valid);
  EXPECT_NE(valid.error().message.find("1969-12-31T23:59:59.999Z"), std::string::npos)
      << valid.error().message;
  batch.spans[0].start_ns = INT64_MAX;
  EXPECT_FALSE(validate(batch));
  batch.spans[0].start_ns = 0;
  EXPECT_TRUE(validate(batch));
}

TEST(Group, a_batch_may_span_a_thousand_days) {
  Batch batch;
  for (int64_t day = 0; day < static_cast<int64_t>(max_days); ++day) {
    batch.samples.push_back({.metric = "m", .timestamp_ns = day * day_ns});
  }
  EXPECT_TRUE(validate(batch));
  batch.samples.push_back({.metric = "m", .timestamp_ns = 5'000 * day_ns});
  EXPECT_FALSE(validate(batch));
}

TEST(Group, points_of_unstorable_times_are_refused_too) {
  SeriesCatalog catalog({}, system_clock());
  for (const int64_t ms : {int64_t{-1}, INT64_MIN, INT64_MAX, int64_t{9'214'646'400'000}}) {
    Batch batch;
    batch.samples = {{.metric = "m"}};
    ASSERT_TRUE(make_points(batch, catalog));
    batch.points.timestamps_ms[0] = ms;
    EXPECT_FALSE(validate(batch)) << ms;
  }
}

}  // namespace
}  // namespace auscult::store
