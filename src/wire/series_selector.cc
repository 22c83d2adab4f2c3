#include "wire/series_selector.h"

#include <algorithm>
#include <string>
#include <utility>

namespace auscult::wire {
namespace {

constexpr size_t max_selector_bytes = 65'536;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == ':';
}

class SelectorParser {
 public:
  explicit SelectorParser(std::string_view text) : whole_(text), rest_(text) {}

  Result<std::vector<LabelMatcher>> parse() {
    if (whole_.size() > max_selector_bytes) return fail("it is longer than 64 KiB");
    skip_blanks();
    if (const auto name = take_word(); !name.empty()) {
      matchers_.push_back({.name = "__name__", .value = std::string(name)});
    }
    if (take("{")) {
      while (!take("}")) {
        TRY(matcher());
        if (!take(",") && !rest_.starts_with('}')) return fail("',' or '}' is missing");
      }
    }
    if (!rest_.empty()) return fail("unexpected '" + std::string(rest_.substr(0, 20)) + "'");
    const bool selects = std::any_of(matchers_.begin(), matchers_.end(), [](const auto& matcher) {
      const bool positive = matcher.type == MatchType::equal || matcher.type == MatchType::matches;
      const bool is_all = matcher.type == MatchType::matches && matcher.value == ".*";
      return (positive && !matcher.value.empty() && !is_all) ||
             (matcher.type == MatchType::not_equal && matcher.value.empty());
    });
    if (!selects) return fail("it needs a name or a label that is not empty");
    return std::move(matchers_);
  }

 private:
  Result<Ok> matcher() {
    const std::string name(take_word());
    if (name.empty() || name.find(':') != std::string::npos) return fail("a label is missing");
    LabelMatcher matcher{.name = name, .value = {}};
    if (take("=~")) {
      matcher.type = MatchType::matches;
    } else if (take("!~")) {
      matcher.type = MatchType::does_not_match;
    } else if (take("!=")) {
      matcher.type = MatchType::not_equal;
    } else if (!take("=")) {
      return fail("one of = != =~ !~ is missing behind '" + name + "'");
    }
    matcher.value = TRY(quoted());
    matchers_.push_back(std::move(matcher));
    return Ok{};
  }

  // "...", '...' with Go's escapes \n \t \\ \" \', or `...` as it stands.
  Result<std::string> quoted() {
    const char quote = rest_.empty() ? '\0' : rest_.front();
    if (quote != '"' && quote != '\'' && quote != '`') return fail("a value in quotes is missing");
    std::string value;
    for (size_t i = 1; i < rest_.size(); ++i) {
      char c = rest_[i];
      if (c == quote) {
        rest_.remove_prefix(i + 1);
        skip_blanks();
        return value;
      }
      if (c == '\\' && quote != '`') {
        if (++i == rest_.size()) break;
        c = rest_[i];
        if (c != 'n' && c != 't' && c != '\\' && c != '"' && c != '\'') {
          return fail("unknown escape '\\" + std::string(1, c) + "'");
        }
        c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
      }
      value += c;
    }
    return fail("a quote does not end");
  }

  std::string_view take_word() {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_word);
    const auto word = rest_.substr(0, static_cast<size_t>(end - rest_.begin()));
    if (!word.empty() && word.front() >= '0' && word.front() <= '9') return {};
    rest_.remove_prefix(word.size());
    skip_blanks();
    return word;
  }

  bool take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    skip_blanks();
    return true;
  }

  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }

  Error fail(const std::string& why) const {
    return {ErrorCode::invalid_input,
            "'" + std::string(whole_.substr(0, 200)) + "' is no selector of series: " + why};
  }

  const std::string_view whole_;
  std::string_view rest_;
  std::vector<LabelMatcher> matchers_;
};

}  // namespace

Result<std::vector<LabelMatcher>> parse_series_selector(std::string_view text) {
  return SelectorParser(text).parse();
}

std::string quote_pattern(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    // Bytes of UTF-8 stand for themselves.
    if (!is_word(c) && static_cast<unsigned char>(c) < 0x80U) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

}  // namespace auscult::wire
