#include "store/label_index.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace auscult::store {
namespace {

using Numbers = LabelIndex::Numbers;
using Lists = std::vector<const Numbers*>;

constexpr std::string_view metric_label = "__name__";

// Calls `f(name, value)` for each label that PromQL sees, in no order.
template <typename F>
void for_each_label(const model::Series& series, const F& f) {
  const auto hidden = [&](std::string_view name) {
    if (name == metric_label) return true;
    for (const auto& [tag, field] : model::tag_fields) {
      if (name == tag) return !(series.tags.*field).empty();
    }
    return false;
  };
  if (!series.metric.empty()) f(metric_label, std::string_view(series.metric));
  for (const auto& [tag, field] : model::tag_fields) {
    if (!(series.tags.*field).empty()) f(tag, std::string_view(series.tags.*field));
  }
  for (const auto& [name, value] : series.labels) {
    if (!value.empty() && !hidden(name)) f(std::string_view(name), std::string_view(value));
  }
}

void insert(Numbers& numbers, uint32_t number) {
  // In small steps: a vector's own doubling would waste a third of most lists.
  if (numbers.size() == numbers.capacity())
    numbers.reserve(numbers.size() + numbers.size() / 4 + 1);
  if (numbers.empty() || numbers.back() < number) {
    numbers.push_back(number);
    return;
  }
  const auto at = std::lower_bound(numbers.begin(), numbers.end(), number);
  if (*at != number) numbers.insert(at, number);
}

bool contains(std::span<const uint32_t> numbers, uint32_t number) {
  return std::binary_search(numbers.begin(), numbers.end(), number);
}

bool share_one(std::span<const uint32_t> a, std::span<const uint32_t> b) {
  if (a.size() > b.size()) std::swap(a, b);
  auto from = b.begin();
  for (const uint32_t number : a) {
    from = std::lower_bound(from, b.end(), number);
    if (from == b.end()) return false;
    if (*from == number) return true;
  }
  return false;
}

size_t total(const Lists& lists) {
  size_t n = 0;
  for (const Numbers* list : lists) n += list->size();
  return n;
}

// A bit a number: many long lists are united faster in it than merged.
class Bits {
 public:
  explicit Bits(const Lists& lists) {
    uint32_t largest = 0;
    for (const Numbers* list : lists) largest = std::max(largest, list->back());
    bits_.resize(lists.empty() ? 0 : largest / 64 + 1);
    for (const Numbers* list : lists) {
      for (const uint32_t number : *list) bits_[number / 64] |= uint64_t{1} << number % 64;
    }
  }
  bool contains(uint32_t number) const {
    return number / 64 < bits_.size() && (bits_[number / 64] >> number % 64 & 1U) != 0;
  }
  Numbers numbers() const {
    Numbers found;
    for (size_t word = 0; word < bits_.size(); ++word) {
      for (uint64_t left = bits_[word]; left != 0; left &= left - 1) {
        found.push_back(static_cast<uint32_t>(word * 64) +
                        static_cast<uint32_t>(__builtin_ctzll(left)));
      }
    }
    return found;
  }

 private:
  std::vector<uint64_t> bits_;
};

// Each number is in at most one list of a label's values.
Numbers united(const Lists& lists) {
  if (lists.size() == 1) return *lists[0];
  return Bits(lists).numbers();
}

// Keeps the numbers that are in one of the lists, or those that are in none.
void keep(Numbers& numbers, const Lists& lists, bool in_one) {
  constexpr size_t search_cost = 8;  // of a binary search, in bits set
  if (numbers.size() * lists.size() * search_cost < total(lists)) {
    std::erase_if(numbers, [&](uint32_t number) {
      const bool in = std::any_of(lists.begin(), lists.end(),
                                  [&](const Numbers* list) { return contains(*list, number); });
      return in != in_one;
    });
  } else {
    const Bits bits(lists);
    std::erase_if(numbers, [&](uint32_t number) { return bits.contains(number) != in_one; });
  }
}

}  // namespace

model::Labels label_set(const model::Series& series) {
  model::Labels labels;
  for_each_label(series, [&](std::string_view name, std::string_view value) {
    labels.emplace_back(name, value);
  });
  std::sort(labels.begin(), labels.end());
  return labels;
}

void LabelIndex::add(uint32_t number, const model::Series& series) {
  insert(all_, number);
  for_each_label(series, [&](std::string_view name, std::string_view value) {
    auto of_name = names_.find(name);
    if (of_name == names_.end()) of_name = names_.try_emplace(std::string(name)).first;
    Values& values = of_name->second;
    auto of_value = values.find(value);
    if (of_value == values.end()) of_value = values.try_emplace(std::string(value)).first;
    insert(of_value->second, number);
  });
}

void LabelIndex::remove(std::span<const uint32_t> numbers) {
  Numbers sorted(numbers.begin(), numbers.end());
  std::sort(sorted.begin(), sorted.end());
  if (sorted.empty()) return;
  const Bits gone({&sorted});
  const auto clean = [&](Numbers& list) {
    const auto removed =
        std::erase_if(list, [&](uint32_t number) { return gone.contains(number); });
    if (removed > 0) list.shrink_to_fit();
  };
  clean(all_);
  for (auto& [name, values] : names_) {
    for (auto& [value, list] : values) clean(list);
    std::erase_if(values, [](const auto& entry) { return entry.second.empty(); });
  }
  std::erase_if(names_, [](const auto& entry) { return entry.second.empty(); });
}

// The lists of the values that fit the matcher, negation aside, or of those that do not.
LabelIndex::Lists LabelIndex::lists_of(const Values& values, const model::CompiledMatcher& matcher,
                                       bool fits) {
  Lists lists;
  if (!fits) {
    for (const auto& [value, numbers] : values) {
      if (!matcher.fits(value)) lists.push_back(&numbers);
    }
  } else if (matcher.form() == model::CompiledMatcher::Form::listed) {
    for (const std::string& value : matcher.listed()) {
      const auto found = values.find(value);
      if (found != values.end()) lists.push_back(&found->second);
    }
  } else {
    const std::string& prefix = matcher.prefix();
    for (auto at = values.lower_bound(prefix); at != values.end(); ++at) {
      if (!at->first.starts_with(prefix)) break;
      if (matcher.fits(at->first)) lists.push_back(&at->second);
    }
  }
  return lists;
}

Result<Numbers> LabelIndex::select(std::span<const model::Matcher> matchers) const {
  // A matcher that "" does not fit asks for series with one of some values. One that "" fits, and
  // so every series without the label, asks for series with none of the other values.
  std::vector<Lists> one_of;
  std::vector<Lists> none_of;
  for (const model::Matcher& matcher : matchers) {
    const auto compiled = TRY(model::CompiledMatcher::compile(matcher));
    const bool absent_matches = compiled.matches("");
    const auto found = names_.find(matcher.name);
    auto& asked = absent_matches ? none_of : one_of;
    asked.push_back(found == names_.end()
                        ? Lists{}
                        : lists_of(found->second, compiled, compiled.negative() == absent_matches));
  }
  // The fewest first: every further step looks at what the ones before have left.
  std::vector<std::pair<size_t, const Lists*>> by_size;
  for (const Lists& lists : one_of) by_size.emplace_back(total(lists), &lists);
  std::sort(by_size.begin(), by_size.end());
  Numbers numbers = by_size.empty() ? all_ : united(*by_size[0].second);
  for (size_t i = 1; i < by_size.size(); ++i) keep(numbers, *by_size[i].second, true);
  for (const Lists& lists : none_of) keep(numbers, lists, false);
  return numbers;
}

std::vector<std::string> LabelIndex::label_names() const {
  std::vector<std::string> found;
  for (const auto& [name, values] : names_) found.push_back(name);
  return found;
}

std::vector<std::string> LabelIndex::label_names(std::span<const uint32_t> selected) const {
  std::vector<std::string> found;
  for (const auto& [name, values] : names_) {
    const bool has = std::any_of(values.begin(), values.end(), [&](const auto& entry) {
      return share_one(entry.second, selected);
    });
    if (has) found.push_back(name);
  }
  return found;
}

std::vector<std::string> LabelIndex::label_values(std::string_view name) const {
  std::vector<std::string> found;
  const auto of_name = names_.find(name);
  if (of_name == names_.end()) return found;
  for (const auto& [value, numbers] : of_name->second) found.push_back(value);
  return found;
}

std::vector<std::string> LabelIndex::label_values(std::string_view name,
                                                  std::span<const uint32_t> selected) const {
  std::vector<std::string> found;
  const auto of_name = names_.find(name);
  if (of_name == names_.end()) return found;
  for (const auto& [value, numbers] : of_name->second) {
    if (share_one(numbers, selected)) found.push_back(value);
  }
  return found;
}

std::vector<LabelIndex::ValueCount> LabelIndex::top_values(std::string_view name, size_t n) const {
  std::vector<ValueCount> counts;
  const auto of_name = names_.find(name);
  if (of_name == names_.end()) return counts;
  for (const auto& [value, numbers] : of_name->second) counts.push_back({value, numbers.size()});
  std::stable_sort(counts.begin(), counts.end(), [](const ValueCount& a, const ValueCount& b) {
    return a.n_series > b.n_series;
  });
  counts.resize(std::min(n, counts.size()));
  return counts;
}

}  // namespace auscult::store
