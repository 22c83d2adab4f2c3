#include "model/series.h"

#include <gtest/gtest.h>

namespace auscult::model {
namespace {

Series io_time() {
  return {.metric = "node_disk_io_time_seconds_total",
          .labels = {{"device", "sda"}},
          .tags = {.node_id = "n1"},
          .kind = MetricKind::counter};
}

// Stored with every row: a change of this number orphans all history. Its upper 24 bits are those
// of XXH3 of "0:2:n1", the rest the upper 40 of XXH3 of
// "31:node_disk_io_time_seconds_total0:2:n10:0:0:0:6:device3:sda".
TEST(Series, id_is_what_it_always_was) {
  constexpr uint64_t all = 11959558743998836869U;
  EXPECT_EQ(hash64("31:node_disk_io_time_seconds_total0:2:n10:0:0:0:6:device3:sda"), all);
  EXPECT_EQ(series_id(io_time()), (hash64("0:2:n1") & ~uint64_t{0xffffffffff}) | all >> 24U);
}

TEST(Series, those_of_a_node_are_neighbours) {
  Series other = io_time();
  other.metric = "up";
  EXPECT_EQ(series_id(other) >> 40U, series_id(io_time()) >> 40U);
  other.tags.node_id = "n2";
  EXPECT_NE(series_id(other) >> 40U, series_id(io_time()) >> 40U);
}

TEST(Series, id_depends_on_identity_and_on_nothing_else) {
  const uint64_t id = series_id(io_time());

  Series same = io_time();
  same.kind = MetricKind::gauge;
  same.id = 7;
  EXPECT_EQ(series_id(same), id);

  Series other = io_time();
  other.metric += "x";
  EXPECT_NE(series_id(other), id);
  other = io_time();
  other.labels[0].second = "sdb";
  EXPECT_NE(series_id(other), id);
  other = io_time();
  other.tags = {.job_id = "n1"};
  EXPECT_NE(series_id(other), id);
}

TEST(Series, two_that_spell_the_same_text_are_still_two) {
  const Series one = {.metric = "m", .labels = {{"a", "b"}, {"c", "d"}}};
  const Series two = {.metric = "m", .labels = {{"a", "bc"}, {"", "d"}}};
  const Series three = {.metric = "m", .labels = {{"a", "b1:c1:d"}}};
  EXPECT_NE(identity(one), identity(two));
  EXPECT_NE(identity(one), identity(three));
}

TEST(PlainSeriesIndex, one_series_under_many_keys) {
  PlainSeriesIndex index;
  EXPECT_EQ(index.find({1, 1}), nullptr);
  const Series* first = *index.add({1, 1}, io_time());
  EXPECT_EQ(*index.add({2, 2}, io_time()), first);
  EXPECT_EQ(index.find({1, 1}), first);
  EXPECT_EQ(index.find({2, 2}), first);
  EXPECT_EQ(first->id, series_id(io_time()));
  EXPECT_NE(*index.add({3, 3}, {.metric = "m"}), first);
}

TEST(Points, samples_become_columns_and_samples_again) {
  PlainSeriesIndex index;
  const Samples samples = {
      {.metric = "m", .labels = {{"a", "b"}}, .timestamp_ns = 5'000'000, .value = 1},
      {.metric = "n", .tags = {.gpu = "gpu0"}, .timestamp_ns = 6'000'000, .value = 2},
      {.metric = "m", .labels = {{"a", "b"}}, .timestamp_ns = 7'000'000, .value = 3}};

  const Points points = *to_points(samples, index);

  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points.series[0], points.series[2]);
  EXPECT_NE(points.series[0], points.series[1]);
  EXPECT_EQ(points.timestamps_ms, (std::vector<int64_t>{5, 6, 7}));
  const Samples again = to_samples(points);
  ASSERT_EQ(again.size(), 3U);
  EXPECT_EQ(again[1].metric, "n");
  EXPECT_EQ(again[1].tags.gpu, "gpu0");
  EXPECT_EQ(again[2].labels, samples[2].labels);
  EXPECT_EQ(again[2].timestamp_ns, 7'000'000);
  EXPECT_EQ(again[2].value, 3);
}

}  // namespace
}  // namespace auscult::model
