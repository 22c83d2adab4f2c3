// LabelIndex: which series have which labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/matcher.h"
#include "model/series.h"
#include "model/tags.h"

namespace auscult::store {

// What PromQL sees of a series: __name__, the labels, and the tags, none of them empty; sorted. A
// tag hides a label of the same name.
model::Labels label_set(const model::Series& series);

// Sorted numbers of series behind each value of each label, 4 bytes each; every name and, within a
// name, every value is kept once. One thread at a time.
class LabelIndex {
 public:
  using Numbers = std::vector<uint32_t>;  // ascending

  struct ValueCount {
    std::string value;
    size_t n_series;
  };

  // The number is not in use, or of this same series, which changes nothing. Cheapest in ascending
  // order; select() is cheapest where numbers are dense.
  void add(uint32_t number, const model::Series& series);

  // Removes the numbers, in any order; those that are not here do nothing. Goes through the whole
  // index: for many at once.
  void remove(std::span<const uint32_t> numbers);

  size_t size() const { return all_.size(); }

  // The series that fit every matcher; all without any. invalid_input names a bad pattern.
  Result<Numbers> select(std::span<const model::Matcher> matchers) const;

  // Names of labels, and values of one, sorted: of all series, or of those selected.
  std::vector<std::string> label_names() const;
  std::vector<std::string> label_names(std::span<const uint32_t> selected) const;
  std::vector<std::string> label_values(std::string_view name) const;
  std::vector<std::string> label_values(std::string_view name,
                                        std::span<const uint32_t> selected) const;

  // The values of a label that most series have, the largest first, at most `n`. Of "__name__":
  // which metrics cost most.
  std::vector<ValueCount> top_values(std::string_view name, size_t n) const;

 private:
  using Values = std::map<std::string, Numbers, std::less<>>;
  using Lists = std::vector<const Numbers*>;

  static Lists lists_of(const Values& values, const model::CompiledMatcher& matcher, bool fits);

  Numbers all_;
  std::map<std::string, Values, std::less<>> names_;
};

}  // namespace auscult::store
