#include "wire/otlp_names.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "model/tags.h"

namespace auscult::wire {
namespace {

struct UnitWord {
  std::string_view unit;  // UCUM, as OpenTelemetry uses it
  std::string_view word;
};

constexpr UnitWord units[] = {
    {"d", "days"},          {"h", "hours"},
    {"min", "minutes"},     {"s", "seconds"},
    {"ms", "milliseconds"}, {"us", "microseconds"},
    {"ns", "nanoseconds"},  {"By", "bytes"},
    {"KiBy", "kibibytes"},  {"MiBy", "mebibytes"},
    {"GiBy", "gibibytes"},  {"TiBy", "tibibytes"},
    {"KBy", "kilobytes"},   {"kBy", "kilobytes"},
    {"MBy", "megabytes"},   {"GBy", "gigabytes"},
    {"TBy", "terabytes"},   {"m", "meters"},
    {"V", "volts"},         {"A", "amperes"},
    {"J", "joules"},        {"W", "watts"},
    {"g", "grams"},         {"Cel", "celsius"},
    {"Hz", "hertz"},        {"1", ""},
    {"%", "percent"},       {"bit", "bits"},
};

// After a slash: "By/s" -> bytes_per_second.
constexpr UnitWord per_units[] = {
    {"s", "second"}, {"m", "minute"}, {"min", "minute"}, {"h", "hour"},
    {"d", "day"},    {"w", "week"},   {"mo", "month"},   {"y", "year"},
};

// dcgm-exporter has counters that do not end in _total; their names are what dashboards ask for.
constexpr std::string_view verbatim_prefixes[] = {"DCGM_FI_"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_character(char c) { return is_letter(c) || is_digit(c) || c == ':'; }

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> found;
  bool inside = false;
  for (const char c : text) {
    if (is_word_character(c)) {
      if (!inside) found.emplace_back();
      found.back() += c;
    }
    inside = is_word_character(c);
  }
  return found;
}

template <size_t n>
std::vector<std::string> unit_words(const UnitWord (&table)[n], std::string_view unit) {
  for (const auto& row : table) {
    if (row.unit == unit) return words_of(row.word);
  }
  return words_of(unit);
}

void add_missing(std::vector<std::string>& words, std::vector<std::string> more) {
  for (auto& word : more) {
    if (std::find(words.begin(), words.end(), word) == words.end()) {
      words.push_back(std::move(word));
    }
  }
}

void add_unit(std::vector<std::string>& words, std::string_view unit) {
  // "{requests}/s": what stands in braces is a remark, not a unit.
  if (unit.find('{') != std::string_view::npos) {
    const auto slash = unit.find('/');
    if (slash == std::string_view::npos || unit.find('{', slash) != std::string_view::npos) return;
    unit = unit.substr(slash);
  }
  const auto slash = std::min(unit.find('/'), unit.size());
  add_missing(words, unit_words(units, trim(unit.substr(0, slash))));
  if (slash >= unit.size()) return;
  const auto per = unit_words(per_units, trim(unit.substr(slash + 1)));
  if (per.empty() || std::find(words.begin(), words.end(), per.front()) != words.end()) return;
  words.emplace_back("per");
  words.insert(words.end(), per.begin(), per.end());
}

void move_to_end(std::vector<std::string>& words, std::string_view word) {
  std::erase(words, word);
  words.emplace_back(word);
}

std::string joined(const std::vector<std::string>& words) {
  std::string name;
  for (const auto& word : words) {
    if (!name.empty()) name += '_';
    name += word;
  }
  if (!name.empty() && is_digit(name.front())) name.insert(0, "_");
  return name;
}

}  // namespace

bool is_metric_name(std::string_view name) {
  return !name.empty() && !is_digit(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return is_word_character(c) || c == '_'; });
}

std::string metric_name(std::string_view name, std::string_view unit, NamedAs kind) {
  const bool finished = kind != NamedAs::monotonic_sum || name.ends_with("_total") ||
                        std::any_of(std::begin(verbatim_prefixes), std::end(verbatim_prefixes),
                                    [&](auto prefix) { return name.starts_with(prefix); });
  if (unit.empty() && finished && is_metric_name(name)) return std::string(name);
  auto words = words_of(name);
  if (words.empty()) return {};
  add_unit(words, unit);
  if (kind == NamedAs::monotonic_sum) move_to_end(words, "total");
  if (kind == NamedAs::gauge && unit == "1") move_to_end(words, "ratio");
  return joined(words);
}

std::string label_name(std::string_view name) {
  std::string label(name);
  for (char& c : label) {
    if (!is_letter(c) && !is_digit(c)) c = '_';
  }
  if (!label.empty() && is_digit(label.front())) label.insert(0, "key_");
  const bool is_tag = std::any_of(model::tag_fields.begin(), model::tag_fields.end(),
                                  [&](const auto& field) { return field.name == label; });
  if (is_tag || label == "__name__") label.insert(0, "exported_");
  return label;
}

}  // namespace auscult::wire
