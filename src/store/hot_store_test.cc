#include "store/hot_store.h"

#include <gtest/gtest.h>

#include <bit>

namespace auscult::store {
namespace {

using model::Matcher;
using model::MatchType;

constexpr int64_t start_ms = 1'700'000'000'000;
constexpr int64_t hour_ms = 3'600'000;
constexpr size_t any_number = 1'000'000;

class HotStoreTest : public testing::Test {
 protected:
  // A sample at `at_ms` after the start.
  void put(const std::string& metric, const std::string& node, int64_t at_ms, double value) {
    model::Samples samples = {{.metric = metric,
                               .tags = {.node_id = node},
                               .timestamp_ns = (start_ms + at_ms) * 1'000'000,
                               .value = value}};
    const auto points = model::to_points(samples, catalog_);
    ASSERT_TRUE(points);
    hot_.append(*points);
  }

  std::vector<HotSeries> select(const std::string& metric, int64_t begin_ms, int64_t end_ms) {
    const Matcher matcher{.type = MatchType::equal, .name = "__name__", .value = metric};
    auto found =
        hot_.select(std::span(&matcher, 1), start_ms + begin_ms, start_ms + end_ms, any_number);
    EXPECT_TRUE(found);
    return found ? *std::move(found) : std::vector<HotSeries>();
  }

  ManualClock clock_{start_ms * 1'000'000};
  SeriesCatalog catalog_{{}, clock_};
  HotStore hot_{catalog_, {}, clock_};
};

TEST_F(HotStoreTest, gives_the_samples_of_a_time_in_order) {
  put("m", "n1", 3, 3);
  put("m", "n1", 1, 1);
  put("m", "n1", 2, 2);
  put("other", "n1", 2, 9);

  const auto found = select("m", 1, 3);

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].series->metric, "m");
  EXPECT_EQ(found[0].series->tags.node_id, "n1");
  EXPECT_EQ(found[0].timestamps_ms, (std::vector<int64_t>{start_ms + 1, start_ms + 2}));
  EXPECT_EQ(found[0].values, (std::vector<double>{1, 2}));
  EXPECT_TRUE(select("m", 4, 10).empty());
}

TEST_F(HotStoreTest, a_tag_is_a_label_like_others) {
  put("m", "n1", 1, 1);
  put("m", "n2", 1, 2);
  const std::vector<Matcher> matchers = {
      {.type = MatchType::regex, .name = "node_id", .value = "n[2-9]"},
      {.type = MatchType::equal, .name = "__name__", .value = "m"}};
  const auto found = hot_.select(matchers, start_ms, start_ms + 10, any_number);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->front().series->tags.node_id, "n2");
  EXPECT_EQ(hot_.label_values("node_id"), (std::vector<std::string>{"n1", "n2"}));
  EXPECT_EQ(hot_.label_names(), (std::vector<std::string>{"__name__", "node_id"}));
}

TEST_F(HotStoreTest, a_query_for_too_much_is_refused_and_not_cut) {
  put("m", "n1", 1, 1);
  put("m", "n2", 1, 2);
  EXPECT_TRUE(hot_.select({}, start_ms, start_ms + 10, 2));
  const auto refused = hot_.select({}, start_ms, start_ms + 10, 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "the query reads more than 1 samples: narrow its matchers or its time");
}

TEST_F(HotStoreTest, a_staleness_marker_keeps_its_bits) {
  constexpr uint64_t stale = 0x7ff0000000000002;
  put("m", "n1", 1, std::bit_cast<double>(stale));
  const auto found = select("m", 0, 10);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(std::bit_cast<uint64_t>(found[0].values.at(0)), stale);
}

TEST_F(HotStoreTest, what_is_outside_of_the_window_is_not_kept) {
  put("m", "old", -2 * hour_ms - 1, 1);
  put("m", "ahead", 10 * 60'000 + 1, 1);
  put("m", "kept", -2 * hour_ms, 1);
  EXPECT_EQ(hot_.stats().series, 1U);
  EXPECT_EQ(hot_.stats().samples, 1U);
}

TEST_F(HotStoreTest, a_series_without_samples_is_forgotten_and_comes_back) {
  put("m", "gone", 0, 1);
  clock_.advance(std::chrono::hours(2));
  put("m", "here", 2 * hour_ms, 2);
  EXPECT_EQ(catalog_.size(), 2U);
  clock_.advance(std::chrono::hours(1));

  hot_.expire();

  EXPECT_EQ(hot_.stats().series, 1U);
  EXPECT_EQ(catalog_.size(), 1U);
  EXPECT_EQ(hot_.label_values("node_id"), std::vector<std::string>{"here"});
  put("m", "gone", 3 * hour_ms, 3);
  const auto found = select("m", 0, 4 * hour_ms);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(hot_.label_values("node_id"), (std::vector<std::string>{"gone", "here"}));
}

TEST_F(HotStoreTest, a_series_that_was_given_out_outlives_its_samples_by_an_hour) {
  put("m", "n1", 0, 1);
  clock_.advance(std::chrono::minutes(119));
  const auto held = select("m", 0, 10);
  ASSERT_EQ(held.size(), 1U);
  clock_.advance(std::chrono::minutes(59));

  hot_.expire();

  EXPECT_EQ(hot_.stats().series, 0U);
  EXPECT_EQ(held[0].series->metric, "m");
  EXPECT_EQ(catalog_.size(), 1U);
}

}  // namespace
}  // namespace auscult::store
