#include "wire/series_selector.h"

#include <gtest/gtest.h>

#include <utility>

namespace auscult::wire {
namespace {

std::string text_of(std::string_view selector) {
  const auto matchers = parse_series_selector(selector);
  if (!matchers) {
    EXPECT_EQ(matchers.error().code, ErrorCode::invalid_input);
    return "error: " + matchers.error().message;
  }
  constexpr const char* operators[] = {"=", "!=", "=~", "!~"};
  std::string text;
  for (const auto& [type, name, value] : *matchers) {
    text += name + operators[static_cast<size_t>(type)] + "<" + value + "> ";
  }
  return text;
}

TEST(SeriesSelector, is_read_as_promql_writes_it) {
  EXPECT_EQ(text_of("up"), "__name__=<up> ");
  EXPECT_EQ(text_of(" job:up:sum { } "), "__name__=<job:up:sum> ");
  EXPECT_EQ(text_of(R"({__name__=~"node_.*",job!="a",x!~'b|c', y = `d\n`,})"),
            "__name__=~<node_.*> job!=<a> x!~<b|c> y=<d\\n> ");
  EXPECT_EQ(text_of(R"(up{a="q\"\\\n"})"), "__name__=<up> a=<q\"\\\n> ");
  EXPECT_EQ(text_of(R"({a!=""})"), "a!=<> ");
}

TEST(SeriesSelector, that_is_none_says_why) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "it needs a name or a label that is not empty"},
      {"{}", "it needs a name or a label that is not empty"},
      {R"({a=""})", "it needs a name or a label that is not empty"},
      {R"({a=~".*",b!="c"})", "it needs a name or a label that is not empty"},
      {"up[5m]", "unexpected '[5m]'"},
      {"1up", "unexpected '1up'"},
      {"up{a}", "one of = != =~ !~ is missing behind 'a'"},
      {"up{a=b}", "a value in quotes is missing"},
      {R"(up{a="b)", "a quote does not end"},
      {R"(up{a="\)", "a quote does not end"},
      {R"(up{a="\x"})", "unknown escape '\\x'"},
      {R"(up{a="b" c="d"})", "',' or '}' is missing"},
      {R"(up{="d"})", "a label is missing"},
      {"up{", "a label is missing"},
  };
  for (const auto& [selector, why] : cases) {
    EXPECT_EQ(text_of(selector),
              "error: '" + std::string(selector) + "' is no selector of series: " + why);
  }
  EXPECT_NE(text_of(std::string(70'000, 'a')).find("longer than 64 KiB"), std::string::npos);
}

TEST(SeriesSelector, a_quoted_pattern_has_no_operators) {
  EXPECT_EQ(quote_pattern("node_cpu:rate5m"), "node_cpu:rate5m");
  EXPECT_EQ(quote_pattern("a.b-µ"), "a\\.b\\-µ");
}

}  // namespace
}  // namespace auscult::wire
