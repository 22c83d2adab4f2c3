#include "store/label_index.h"

#include <gtest/gtest.h>
#include <regex.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace auscult::store {
namespace {

using model::Matcher;
using model::MatchType;
using Numbers = LabelIndex::Numbers;
using Texts = std::vector<std::string>;

// A server with four nodes: 1 and 2 have a gpu, 3 has not, 4 has no node_id.
LabelIndex small_index() {
  LabelIndex index;
  index.add(1,
            {.metric = "up", .labels = {{"job", "a"}}, .tags = {.node_id = "n1", .gpu = "gpu0"}});
  index.add(2,
            {.metric = "up", .labels = {{"job", "b"}}, .tags = {.node_id = "n2", .gpu = "gpu1"}});
  index.add(3, {.metric = "up", .labels = {{"job", "ab"}}, .tags = {.node_id = "n3"}});
  index.add(4, {.metric = "load1", .labels = {{"job", "a"}}});
  return index;
}

Numbers select(const LabelIndex& index, const std::vector<Matcher>& matchers) {
  const auto found = index.select(matchers);
  EXPECT_TRUE(found) << found.error().message;
  return *found;
}

TEST(LabelSet, has_name_labels_and_tags_that_are_not_empty) {
  EXPECT_EQ(label_set({.metric = "up",
                       .labels = {{"empty", ""}, {"zone", "z"}},
                       .tags = {.cluster = "c", .rank = "0"}}),
            (model::Labels{{"__name__", "up"}, {"cluster", "c"}, {"rank", "0"}, {"zone", "z"}}));
}

TEST(LabelSet, a_tag_hides_a_label_of_its_name_where_it_is_set) {
  const model::Labels labels = {{"__name__", "other"}, {"gpu", "label"}, {"rank", "7"}};
  EXPECT_EQ(label_set({.metric = "m", .labels = labels, .tags = {.gpu = "tag"}}),
            (model::Labels{{"__name__", "m"}, {"gpu", "tag"}, {"rank", "7"}}));
}

TEST(LabelIndex, selects_by_each_kind_of_matcher) {
  const LabelIndex index = small_index();
  EXPECT_EQ(select(index, {{MatchType::equal, "__name__", "up"}}), (Numbers{1, 2, 3}));
  EXPECT_EQ(select(index, {{MatchType::equal, "job", "a"}, {MatchType::equal, "node_id", "n1"}}),
            (Numbers{1}));
  EXPECT_EQ(select(index, {{MatchType::not_equal, "job", "a"}}), (Numbers{2, 3}));
  EXPECT_EQ(select(index, {{MatchType::regex, "job", "a.*"}}), (Numbers{1, 3, 4}));
  EXPECT_EQ(select(index, {{MatchType::regex, "job", "b|ab|zz"}}), (Numbers{2, 3}));
  EXPECT_EQ(select(index, {{MatchType::regex, "job", ".b"}}), (Numbers{3}));
  EXPECT_EQ(select(index, {{MatchType::not_regex, "job", "a.+"}}), (Numbers{1, 2, 4}));
}

TEST(LabelIndex, a_matcher_that_fits_nothing_fits_series_without_the_label) {
  const LabelIndex index = small_index();
  EXPECT_EQ(select(index, {{MatchType::equal, "gpu", ""}}), (Numbers{3, 4}));
  EXPECT_EQ(select(index, {{MatchType::not_equal, "gpu", ""}}), (Numbers{1, 2}));
  EXPECT_EQ(select(index, {{MatchType::not_equal, "gpu", "gpu0"}}), (Numbers{2, 3, 4}));
  EXPECT_EQ(select(index, {{MatchType::regex, "gpu", "|gpu1"}}), (Numbers{2, 3, 4}));
  EXPECT_EQ(select(index, {{MatchType::not_regex, "gpu", "|gpu1"}}), (Numbers{1}));
  EXPECT_EQ(select(index, {{MatchType::regex, "gpu", ".*"}}), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(select(index, {{MatchType::not_regex, "gpu", ".*"}}), Numbers{});
  EXPECT_EQ(select(index, {{MatchType::regex, "gpu", ".+"}}), (Numbers{1, 2}));
  EXPECT_EQ(select(index, {{MatchType::not_regex, "gpu", ".+"}}), (Numbers{3, 4}));
}

TEST(LabelIndex, a_name_that_no_series_has_is_empty_everywhere) {
  const LabelIndex index = small_index();
  EXPECT_EQ(select(index, {{MatchType::equal, "x", "a"}}), Numbers{});
  EXPECT_EQ(select(index, {{MatchType::equal, "x", ""}}), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(select(index, {{MatchType::not_equal, "x", "a"}}), (Numbers{1, 2, 3, 4}));
}

TEST(LabelIndex, two_matchers_of_one_label_both_count) {
  const LabelIndex index = small_index();
  EXPECT_EQ(select(index, {{MatchType::regex, "job", "a.*"}, {MatchType::not_equal, "job", "a"}}),
            (Numbers{3}));
}

TEST(LabelIndex, no_matcher_selects_all) {
  EXPECT_EQ(select(small_index(), {}), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(select(LabelIndex(), {{MatchType::equal, "a", ""}}), Numbers{});
}

TEST(LabelIndex, a_bad_pattern_is_refused_even_where_no_series_could_match) {
  const auto refused =
      small_index().select(std::vector<Matcher>{{MatchType::regex, "absent", "a("}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_input);
  EXPECT_NE(refused.error().message.find("absent=~\"a(\""), std::string::npos)
      << refused.error().message;
}

TEST(LabelIndex, lists_names_and_values_sorted) {
  const LabelIndex index = small_index();
  EXPECT_EQ(index.label_names(), (Texts{"__name__", "gpu", "job", "node_id"}));
  EXPECT_EQ(index.label_values("job"), (Texts{"a", "ab", "b"}));
  EXPECT_EQ(index.label_values("absent"), Texts{});
  EXPECT_EQ(index.label_names(Numbers{4}), (Texts{"__name__", "job"}));
  EXPECT_EQ(index.label_values("job", Numbers{2, 4}), (Texts{"a", "b"}));
  EXPECT_EQ(index.label_values("gpu", Numbers{3, 4}), Texts{});
}

TEST(LabelIndex, names_the_values_with_most_series) {
  const auto top = small_index().top_values("job", 2);
  ASSERT_EQ(top.size(), 2U);
  EXPECT_EQ(top[0].value, "a");
  EXPECT_EQ(top[0].n_series, 2U);
  EXPECT_EQ(top[1].value, "ab");
  EXPECT_EQ(top[1].n_series, 1U);
  EXPECT_EQ(small_index().top_values("__name__", 10).size(), 2U);
}

TEST(LabelIndex, what_is_removed_leaves_no_name_and_no_value) {
  LabelIndex index = small_index();
  index.remove(Numbers{2, 99, 1});
  EXPECT_EQ(index.size(), 2U);
  EXPECT_EQ(index.label_names(), (Texts{"__name__", "job", "node_id"}));
  EXPECT_EQ(index.label_values("job"), (Texts{"a", "ab"}));
  EXPECT_EQ(select(index, {}), (Numbers{3, 4}));
  index.remove({});
  EXPECT_EQ(index.size(), 2U);
  index.remove(Numbers{3, 4});
  EXPECT_TRUE(index.label_names().empty());
}

TEST(LabelIndex, a_series_added_again_changes_nothing_and_any_order_will_do) {
  LabelIndex index;
  for (const uint32_t number : {7, 3, 5, 3, 7, 5}) index.add(number, {.metric = "up"});
  EXPECT_EQ(index.size(), 3U);
  EXPECT_EQ(select(index, {{MatchType::equal, "__name__", "up"}}), (Numbers{3, 5, 7}));
}

TEST(LabelIndex, a_number_is_free_again_once_removed) {
  LabelIndex index = small_index();
  index.remove(Numbers{2});
  index.add(2, {.metric = "again"});
  EXPECT_EQ(select(index, {{MatchType::equal, "job", "b"}}), Numbers{});
  EXPECT_EQ(select(index, {{MatchType::equal, "__name__", "again"}}), (Numbers{2}));
  EXPECT_EQ(select(index, {}), (Numbers{1, 2, 3, 4}));
}

// Against the definition, with the C library's regular expressions.

bool fits_pattern(const std::string& value, const std::string& pattern) {
  static std::map<std::pair<std::string, std::string>, bool> known;  // regcomp is slow
  const auto [at, is_new] = known.try_emplace({pattern, value});
  if (!is_new) return at->second;
  regex_t compiled;
  EXPECT_EQ(regcomp(&compiled, ("^(" + pattern + ")$").c_str(), REG_EXTENDED | REG_NOSUB), 0);
  at->second = regexec(&compiled, value.c_str(), 0, nullptr, 0) == 0;
  regfree(&compiled);
  return at->second;
}

bool fits(const model::Labels& labels, const Matcher& matcher) {
  const std::string value(model::label(labels, matcher.name));
  switch (matcher.type) {
    case MatchType::equal:
      return value == matcher.value;
    case MatchType::not_equal:
      return value != matcher.value;
    case MatchType::regex:
      return fits_pattern(value, matcher.value);
    case MatchType::not_regex:
      return !fits_pattern(value, matcher.value);
  }
  return false;
}

struct Naive {
  std::vector<std::pair<uint32_t, model::Labels>> series;

  Numbers select(const std::vector<Matcher>& matchers) const {
    Numbers found;
    for (const auto& [number, labels] : series) {
      const auto matches = [&labels = labels](const Matcher& m) { return fits(labels, m); };
      if (std::all_of(matchers.begin(), matchers.end(), matches)) found.push_back(number);
    }
    return found;
  }
};

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  size_t below(size_t n) { return engine_() % n; }
  std::string one_of(const Texts& texts) { return texts[below(texts.size())]; }

 private:
  std::mt19937_64 engine_;
};

model::Series random_series(Random& random) {
  model::Series series{.metric = random.one_of({"a", "ab", "b", "abc"})};
  for (const std::string name : {"device", "gpu", "mode"}) {
    if (random.below(3) > 0) {
      series.labels.emplace_back(name, random.one_of({"", "a", "ab", "aab", "b", "a.b", "c"}));
    }
  }
  if (random.below(2) == 0) series.tags.gpu = random.one_of({"a", "b"});
  if (random.below(4) > 0) series.tags.node_id = "n" + std::to_string(random.below(200));
  return series;
}

Matcher random_matcher(Random& random) {
  const auto type = static_cast<MatchType>(random.below(4));
  const std::string name = random.one_of({"__name__", "device", "gpu", "mode", "node_id", "rank"});
  if (type == MatchType::equal || type == MatchType::not_equal) {
    return {type, name, random.one_of({"", "a", "ab", "b", "a.b", "n17"})};
  }
  return {type, name,
          random.one_of({"", "a", "a|b", "(a|b|)", "a.*", "a.+", ".*", ".+", "ab*", "a\\.b", ".b",
                         "n1.*", "n1[0-9]", "[ab]+", "n17|n18|n20", "c?", "(ab|n).*", "a|b.*"})};
}

TEST(LabelIndex, selects_what_the_definition_selects) {
  Random random(1);
  for (int round = 0; round < 6; ++round) {
    LabelIndex index;
    Naive naive;
    for (uint32_t number = 0; number < 600; ++number) {
      const auto series = random_series(random);
      index.add(number * 3, series);
      naive.series.emplace_back(number * 3, label_set(series));
    }
    Numbers gone;
    std::erase_if(naive.series, [&](const auto& entry) {
      if (random.below(5) > 0) return false;
      gone.push_back(entry.first);
      return true;
    });
    std::reverse(gone.begin(), gone.end());
    index.remove(gone);
    ASSERT_EQ(index.size(), naive.series.size());
    for (int i = 0; i < 100; ++i) {
      std::vector<Matcher> matchers;
      for (size_t n = 1 + random.below(4); n > 0; --n) matchers.push_back(random_matcher(random));
      std::string text;
      for (const auto& matcher : matchers) text += to_string(matcher) + " ";
      ASSERT_EQ(select(index, matchers), naive.select(matchers)) << text;
    }
  }
}

}  // namespace
}  // namespace auscult::store
