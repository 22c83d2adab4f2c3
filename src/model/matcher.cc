#include "model/matcher.h"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

namespace auscult::model {
namespace {

constexpr std::string_view special = R"(.+*?()|[]{}^$)";
constexpr std::string_view repeats = "*+?{";

struct Literal {
  std::string text;
  size_t end = 0;         // where in the pattern it ends
  size_t last_begin = 0;  // where in the text its last character begins
};

// The literal text that a pattern has from `begin` on; it may be empty.
Literal literal_at(std::string_view pattern, size_t begin) {
  Literal found;
  size_t at = begin;
  while (at < pattern.size() && special.find(pattern[at]) == std::string_view::npos) {
    if (pattern[at] == '\\') {
      // Before a letter or digit it is a class or a reference.
      if (at + 1 == pattern.size() ||
          std::ispunct(static_cast<unsigned char>(pattern[at + 1])) == 0)
        break;
      ++at;
    }
    const bool continues = (static_cast<unsigned char>(pattern[at]) & 0xc0U) == 0x80U;  // of UTF-8
    if (!continues) found.last_begin = found.text.size();
    found.text += pattern[at++];
  }
  found.end = at;
  return found;
}

// The alternatives of "a|b|c" or "(a|b|c)"; nothing where they are more than literals.
std::optional<std::vector<std::string>> alternatives(std::string_view pattern) {
  if (pattern.starts_with('(') && pattern.ends_with(')')) {
    pattern = pattern.substr(1, pattern.size() - 2);
    if (pattern.starts_with("?:")) pattern.remove_prefix(2);
  }
  std::vector<std::string> found;
  for (size_t at = 0;; ++at) {
    Literal literal = literal_at(pattern, at);
    at = literal.end;
    found.push_back(std::move(literal.text));
    if (at == pattern.size()) break;
    if (pattern[at] != '|') return std::nullopt;
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

std::string to_string(const Matcher& matcher) {
  constexpr std::string_view signs[] = {"=", "!=", "=~", "!~"};
  std::string text = matcher.name;
  text += signs[static_cast<size_t>(matcher.type)];
  text += '"';
  for (const char c : matcher.value) {
    if (c == '\\' || c == '"') text += '\\';
    text += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return text + '"';
}

CompiledMatcher::CompiledMatcher() = default;
CompiledMatcher::CompiledMatcher(CompiledMatcher&&) noexcept = default;
CompiledMatcher& CompiledMatcher::operator=(CompiledMatcher&&) noexcept = default;
CompiledMatcher::~CompiledMatcher() = default;

Result<CompiledMatcher> CompiledMatcher::compile(const Matcher& matcher) {
  CompiledMatcher compiled;
  compiled.name_ = matcher.name;
  compiled.negative_ = matcher.type == MatchType::not_equal || matcher.type == MatchType::not_regex;
  if (matcher.type == MatchType::equal || matcher.type == MatchType::not_equal) {
    compiled.listed_ = {matcher.value};
    return compiled;
  }
  const std::string& pattern = matcher.value;
  if (pattern.size() > max_pattern_bytes) {
    return Error{ErrorCode::invalid_input, "pattern of label " + matcher.name + " has " +
                                               std::to_string(pattern.size()) +
                                               " bytes: more than 65536"};
  }
  if (auto listed = alternatives(pattern)) {
    compiled.listed_ = *std::move(listed);
    return compiled;
  }
  compiled.form_ = Form::prefixed;
  if (pattern.find('|') == std::string::npos) {
    Literal literal = literal_at(pattern, 0);
    const std::string_view rest = std::string_view(pattern).substr(literal.end);
    if (!rest.empty() && repeats.find(rest[0]) != std::string_view::npos) {
      literal.text.resize(literal.last_begin);
    }
    compiled.prefix_ = std::move(literal.text);
    if (rest == ".*" || rest == ".+") {
      compiled.min_more_bytes_ = rest == ".+" ? 1 : 0;
      return compiled;
    }
  }
  RE2::Options how;
  how.set_log_errors(false);
  how.set_dot_nl(true);
  how.set_never_capture(true);
  compiled.pattern_ = std::make_unique<RE2>(pattern, how);
  if (!compiled.pattern_->ok()) {
    return Error{ErrorCode::invalid_input,
                 to_string(matcher) + " is no pattern: " + compiled.pattern_->error()};
  }
  return compiled;
}

bool CompiledMatcher::fits(std::string_view value) const {
  if (form_ == Form::listed) return std::binary_search(listed_.begin(), listed_.end(), value);
  if (!value.starts_with(prefix_)) return false;
  if (pattern_ == nullptr) return value.size() >= prefix_.size() + min_more_bytes_;
  return RE2::FullMatch(re2::StringPiece(value.data(), value.size()), *pattern_);
}

}  // namespace auscult::model
