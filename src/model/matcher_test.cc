#include "model/matcher.h"

#include <gtest/gtest.h>

namespace auscult::model {
namespace {

CompiledMatcher compiled(MatchType type, const std::string& value) {
  auto matcher = CompiledMatcher::compile({.type = type, .name = "l", .value = value});
  EXPECT_TRUE(matcher) << matcher.error().message;
  return *std::move(matcher);
}

bool fits(const std::string& pattern, std::string_view value) {
  const bool regex = compiled(MatchType::regex, pattern).matches(value);
  EXPECT_NE(compiled(MatchType::not_regex, pattern).matches(value), regex) << pattern;
  return regex;
}

TEST(Matcher, equal_takes_the_value_as_it_is) {
  const auto equal = compiled(MatchType::equal, "a.*");
  EXPECT_TRUE(equal.matches("a.*"));
  EXPECT_FALSE(equal.matches("ab"));
  const auto not_equal = compiled(MatchType::not_equal, "a.*");
  EXPECT_FALSE(not_equal.matches("a.*"));
  EXPECT_TRUE(not_equal.matches(""));
}

TEST(Matcher, a_pattern_has_to_match_the_whole_value) {
  for (const std::string pattern : {"abc", "ab+c", "a(b)c", "abc|x", "(abc|x)", "a.c", "[a]bc"}) {
    EXPECT_TRUE(fits(pattern, "abc")) << pattern;
    EXPECT_FALSE(fits(pattern, "abcd")) << pattern;
    EXPECT_FALSE(fits(pattern, "0abc")) << pattern;
    EXPECT_FALSE(fits(pattern, "")) << pattern;
  }
}

TEST(Matcher, alternatives_are_anchored_together) {
  EXPECT_FALSE(fits("a.|b", "acb"));
  EXPECT_FALSE(fits("a.|b", "xb"));
  EXPECT_TRUE(fits("a.|b", "b"));
}

TEST(Matcher, the_absent_label_is_the_empty_value) {
  for (const std::string pattern : {"", ".*", "a?", "|a", "a|", "()", "(a|)", "a*"}) {
    EXPECT_TRUE(fits(pattern, "")) << pattern;
  }
  for (const std::string pattern : {".+", "a", "a.*", "a|b", "."}) {
    EXPECT_FALSE(fits(pattern, "")) << pattern;
  }
}

TEST(Matcher, a_dot_matches_a_newline) {
  EXPECT_TRUE(fits("a.*", "a\nb"));
  EXPECT_TRUE(fits("a.b", "a\nb"));
  EXPECT_TRUE(fits("a.+b", "a\n\nb"));
}

TEST(Matcher, what_repeats_is_no_part_of_the_prefix) {
  EXPECT_TRUE(fits("ab*", "a"));
  EXPECT_TRUE(fits("ab?c.*", "acx"));
  EXPECT_TRUE(fits("ab{0,2}", "abb"));
  EXPECT_TRUE(fits("ab{0,2}", "a"));
  EXPECT_TRUE(fits("ab+", "abb"));
  EXPECT_TRUE(fits("a\\.*", "a"));
  EXPECT_TRUE(fits("aü*b", "ab"));
  EXPECT_TRUE(fits("aü*b", "aüüb"));
}

TEST(Matcher, an_escape_is_a_literal_before_punctuation_only) {
  EXPECT_TRUE(fits("a\\.b", "a.b"));
  EXPECT_FALSE(fits("a\\.b", "axb"));
  EXPECT_TRUE(fits("a\\.b|c\\|d", "c|d"));
  EXPECT_TRUE(fits("a\\d", "a7"));
  EXPECT_FALSE(fits("a\\d", "ad"));
  EXPECT_TRUE(fits("\\(a\\)", "(a)"));
}

TEST(Matcher, inner_groups_are_not_taken_for_the_outer_one) {
  EXPECT_TRUE(fits("(a)|(b)", "b"));
  EXPECT_FALSE(fits("(a)|(b)", "a)|(b"));
  EXPECT_TRUE(fits("(?i)abc", "ABC"));
  EXPECT_TRUE(fits("(?:a|b)", "b"));
  EXPECT_TRUE(fits("(?i:a|b)", "B"));
}

TEST(Matcher, an_index_learns_what_can_fit) {
  const auto listed = compiled(MatchType::regex, "(b|a|b)");
  EXPECT_EQ(listed.form(), CompiledMatcher::Form::listed);
  EXPECT_EQ(listed.listed(), (std::vector<std::string>{"a", "b"}));
  const auto prefixed = compiled(MatchType::not_regex, "node\\.[0-9]+");
  EXPECT_EQ(prefixed.form(), CompiledMatcher::Form::prefixed);
  EXPECT_EQ(prefixed.prefix(), "node.");
  EXPECT_TRUE(prefixed.negative());
  EXPECT_EQ(compiled(MatchType::regex, "ab.*|c").prefix(), "");
}

TEST(Matcher, a_bad_pattern_is_refused_and_named) {
  for (const std::string pattern : {"(", "a)", "[a", "*", "a**b(", "(a\\)", "\\8", "x{2000}"}) {
    for (const auto type : {MatchType::regex, MatchType::not_regex}) {
      const auto refused = CompiledMatcher::compile({.type = type, .name = "l", .value = pattern});
      ASSERT_FALSE(refused) << pattern;
      EXPECT_EQ(refused.error().code, ErrorCode::invalid_input);
      EXPECT_TRUE(refused.error().message.find("l=~\"") == 0 ||
                  refused.error().message.find("l!~\"") == 0)
          << refused.error().message;
    }
  }
}

TEST(Matcher, a_pattern_without_end_is_refused) {
  const std::string pattern(CompiledMatcher::max_pattern_bytes + 1, 'a');
  const auto refused =
      CompiledMatcher::compile({.type = MatchType::regex, .name = "l", .value = pattern});
  ASSERT_FALSE(refused);
  EXPECT_LT(refused.error().message.size(), 100U);
}

TEST(Matcher, is_written_as_promql_writes_it) {
  EXPECT_EQ(to_string({MatchType::not_regex, "device", "lo|\"x\"\\d\n"}),
            "device!~\"lo|\\\"x\\\"\\\\d\\n\"");
  EXPECT_EQ(to_string({MatchType::equal, "a", "b"}), "a=\"b\"");
}

}  // namespace
}  // namespace auscult::model
