#include "store/series_catalog.h"

#include <gtest/gtest.h>

namespace auscult::store {
namespace {

class SeriesCatalogTest : public testing::Test {
 protected:
  static model::Series named(const std::string& metric) { return {.metric = metric}; }

  ManualClock clock_;
  SeriesCatalog catalog_{{.max_series = 3}, clock_};
};

TEST_F(SeriesCatalogTest, a_series_is_one_object_under_all_its_keys) {
  EXPECT_EQ(catalog_.find({1, 1}), nullptr);
  const model::Series* m = *catalog_.add({1, 1}, named("m"));
  EXPECT_EQ(*catalog_.add({2, 2}, named("m")), m);
  EXPECT_EQ(catalog_.find({1, 1}), m);
  EXPECT_EQ(catalog_.find({2, 2}), m);
  EXPECT_EQ(m->id, model::series_id(named("m")));
  EXPECT_EQ(catalog_.by_id(m->id), m);
  EXPECT_EQ(catalog_.size(), 1U);
}

TEST_F(SeriesCatalogTest, two_series_with_one_hash_get_two_ids) {
  SeriesCatalog catalog({}, clock_, [](const model::Series&, std::string_view name) {
    return name.find('#') == std::string_view::npos ? uint64_t{7} : hash64(name);
  });
  const model::Series* a = *catalog.add({1, 1}, named("a"));
  const model::Series* b = *catalog.add({2, 2}, named("b"));
  EXPECT_EQ(a->id, 7U);
  EXPECT_NE(b->id, 7U);
  EXPECT_EQ(*catalog.add({3, 3}, named("b")), b);
  EXPECT_EQ(*catalog.add({4, 4}, named("a")), a);

  // After a restart they keep them, whichever is asked for first.
  SeriesCatalog again({}, clock_,
                      [](const model::Series&, std::string_view) { return uint64_t{7}; });
  model::Series stored = *a;
  ASSERT_TRUE(again.restore(stored, 1));
  stored = *b;
  ASSERT_TRUE(again.restore(stored, 1));
  EXPECT_FALSE(again.restore(stored, 1)) << "an id twice";
  EXPECT_EQ((*again.add({1, 1}, named("a")))->id, 7U);
}

TEST_F(SeriesCatalogTest, a_full_catalogue_names_the_metric_with_the_most_series) {
  ASSERT_TRUE(catalog_.add({1, 0}, {.metric = "many", .labels = {{"a", "1"}}}));
  ASSERT_TRUE(catalog_.add({2, 0}, {.metric = "many", .labels = {{"a", "2"}}}));
  ASSERT_TRUE(catalog_.add({3, 0}, named("few")));

  const auto refused = catalog_.add({4, 0}, named("new"));

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "no room for a new series of new: the limit is 3 series; many has the most, 2");
  EXPECT_TRUE(catalog_.add({5, 0}, named("few"))) << "one that is there is not new";
  const auto largest = catalog_.largest_metrics(1);
  ASSERT_EQ(largest.size(), 1U);
  EXPECT_EQ(largest[0].metric, "many");
  EXPECT_EQ(largest[0].n_series, 2U);
}

TEST_F(SeriesCatalogTest, keys_of_one_series_are_bounded_and_the_series_stays) {
  const model::Series* m = *catalog_.add({0, 0}, named("m"));
  for (uint64_t spelling = 1; spelling < 1000; ++spelling) {
    ASSERT_EQ(*catalog_.add({0, spelling}, named("m")), m);
  }
  EXPECT_EQ(catalog_.find({0, 1}), nullptr) << "forgotten";
  EXPECT_EQ(catalog_.find({0, 999}), m);
  EXPECT_EQ(*catalog_.add({0, 1}, named("m")), m);
}

TEST_F(SeriesCatalogTest, what_nobody_looks_up_is_forgotten) {
  const auto always = [](const CatalogSeries&) { return true; };
  ASSERT_TRUE(catalog_.add({1, 0}, named("idle")));
  ASSERT_TRUE(catalog_.add({2, 0}, named("used")));
  ASSERT_TRUE(catalog_.add({3, 0}, named("held")));
  clock_.advance(std::chrono::hours(2));
  catalog_.tick();
  ASSERT_NE(catalog_.find({2, 0}), nullptr);

  const size_t n = catalog_.forget_idle(
      std::chrono::hours(1), [](const CatalogSeries& series) { return series.metric != "held"; });

  EXPECT_EQ(n, 1U);
  EXPECT_EQ(catalog_.find({1, 0}), nullptr);
  EXPECT_NE(catalog_.find({2, 0}), nullptr);
  EXPECT_EQ(catalog_.size(), 2U);
  EXPECT_TRUE(catalog_.add({4, 0}, named("new"))) << "there is room again";
  clock_.advance(std::chrono::minutes(10));
  EXPECT_EQ(catalog_.forget_idle(std::chrono::seconds(1), always), 1U)
      << "an hour is the least: only what was not looked up for two goes";
}

TEST_F(SeriesCatalogTest, a_metric_at_its_own_limit_is_named_and_leaves_the_others_their_room) {
  SeriesCatalog catalog({.max_series = 10, .max_series_per_metric = 2}, clock_);
  const auto step = [](const std::string& value) {
    return model::Series{.metric = "loss", .labels = {{"step", value}}};
  };
  ASSERT_TRUE(catalog.add({1, 1}, step("1")));
  ASSERT_TRUE(catalog.add({1, 2}, step("2")));

  const auto third = catalog.add({1, 3}, step("3"));

  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, ErrorCode::invalid_input);
  EXPECT_NE(third.error().message.find("series of loss: the limit of a metric is 2"),
            std::string::npos)
      << third.error().message;
  EXPECT_EQ(catalog.refused(), 1U);
  EXPECT_TRUE(catalog.add({2, 1}, named("up")));
  EXPECT_TRUE(catalog.add({1, 4}, step("2"))) << "known under another key";
  EXPECT_EQ(catalog.refused(), 1U);
}

}  // namespace
}  // namespace auscult::store
