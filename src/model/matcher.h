// Matcher: which values of a label are meant, as in PromQL's {job="a",device!~"lo|veth.*"}.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace auscult::model {

enum class MatchType : uint8_t { equal, not_equal, regex, not_regex };

struct Matcher {
  MatchType type = MatchType::equal;
  std::string name;   // of a label; the metric's is __name__
  std::string value;  // or RE2 pattern, which has to match the whole value; "." matches a newline

  bool operator==(const Matcher&) const = default;
};

// As PromQL writes it, `device!~"lo|veth.*"`.
std::string to_string(const Matcher& matcher);

// A matcher ready for use. A label that is absent has the value "".
class CompiledMatcher {
 public:
  static constexpr size_t max_pattern_bytes = 65'536;  // a few thousand names in one

  // invalid_input says what is wrong with the pattern.
  static Result<CompiledMatcher> compile(const Matcher& matcher);

  CompiledMatcher(CompiledMatcher&&) noexcept;
  CompiledMatcher& operator=(CompiledMatcher&&) noexcept;
  ~CompiledMatcher();

  bool matches(std::string_view value) const { return fits(value) != negative_; }

  const std::string& name() const { return name_; }
  // Is it != or !~ ?
  bool negative() const { return negative_; }
  // As matches(), but without the negation.
  bool fits(std::string_view value) const;

  // Which values can fit at all, for an index: those that are listed, sorted, or those with a
  // prefix.
  enum class Form : uint8_t { listed, prefixed };
  Form form() const { return form_; }
  const std::vector<std::string>& listed() const { return listed_; }
  const std::string& prefix() const { return prefix_; }  // may be empty

 private:
  CompiledMatcher();

  std::string name_;
  bool negative_ = false;
  Form form_ = Form::listed;
  std::vector<std::string> listed_;
  std::string prefix_;
  size_t min_more_bytes_ = 0;          // behind the prefix, where there is no pattern
  std::unique_ptr<re2::RE2> pattern_;  // null where list or prefix say it all
};

}  // namespace auscult::model
