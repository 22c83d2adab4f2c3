#include "bench/params.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace auscult::bench {
namespace {

Error wrong(std::string_view name, std::string_view value, const std::string& expected) {
  return {ErrorCode::invalid_input, "parameter '" + std::string(name) + "' must be " + expected +
                                        ", not '" + std::string(value) + "'"};
}

std::string words_of(const std::vector<std::string_view>& known) {
  std::string text;
  for (const auto word : known) {
    if (!text.empty()) text += ", ";
    text += word;
  }
  return text;
}

std::string describe(Range range, const std::string& noun) {
  return noun + " from " + format_number(range.least, 15) + " to " + format_number(range.most, 15);
}

}  // namespace

Result<model::Labels> complete(const model::Labels& defaults, const model::Labels& given) {
  std::vector<std::string_view> known;
  for (const auto& [name, value] : defaults) known.push_back(name);
  model::Labels params = defaults;
  for (const auto& [name, value] : given) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string near = nearest_word(name, known);
      std::string hint = "; it knows " + words_of(known);
      if (known.empty()) hint = "; it has none";
      if (!near.empty()) hint = ": did you mean '" + near + "'?";
      return Error{ErrorCode::invalid_input, "unknown parameter '" + name + "'" + hint};
    }
    params.emplace_back(name, value);
  }
  model::normalise(params);
  return params;
}

Result<double> number_param(const model::Labels& params, std::string_view name, Range range) {
  const std::string_view text = model::label(params, name);
  const auto value = to_double(text);
  // Written so that NaN, which compares false with everything, is refused too.
  if (!value || !(*value >= range.least && *value <= range.most)) {
    return wrong(name, text, describe(range, "a number"));
  }
  return *value;
}

Result<int64_t> count_param(const model::Labels& params, std::string_view name, Range range) {
  const std::string_view text = model::label(params, name);
  const auto value = to_int(text);
  if (!value || static_cast<double>(*value) < range.least ||
      static_cast<double>(*value) > range.most) {
    return wrong(name, text, describe(range, "a whole number"));
  }
  return *value;
}

Result<int64_t> parse_size(std::string_view text) {
  constexpr std::string_view suffixes = "kmgt";
  std::string_view digits = text;
  int64_t unit = 1;
  if (!digits.empty()) {
    const auto last = static_cast<char>(std::tolower(static_cast<unsigned char>(digits.back())));
    if (const auto power = suffixes.find(last); power != std::string_view::npos) {
      unit = int64_t{1} << (10 * (power + 1));
      digits.remove_suffix(1);
    }
  }
  const auto value = to_int(digits);
  constexpr int64_t most_bytes = int64_t{1} << 50U;  // 1 PiB: keeps the product far from overflow
  if (!value || *value <= 0 || *value > most_bytes / unit) {
    return Error{ErrorCode::invalid_input,
                 "'" + std::string(text) + "' is not a size such as 4k, 256M or 1G"};
  }
  return *value * unit;
}

Result<int64_t> size_param(const model::Labels& params, std::string_view name, Range range) {
  const std::string_view text = model::label(params, name);
  const int64_t bytes = TRY(parse_size(text), "parameter '" + std::string(name) + "'");
  if (static_cast<double>(bytes) < range.least || static_cast<double>(bytes) > range.most) {
    return wrong(name, text,
                 "between " + format_bytes(range.least) + " and " + format_bytes(range.most));
  }
  return bytes;
}

Result<std::vector<std::string>> list_param(const model::Labels& params, std::string_view name,
                                            const std::vector<std::string_view>& known) {
  const std::string_view text = model::label(params, name);
  std::vector<std::string> list;
  for (const auto piece : split(text, ',')) {
    const std::string_view word = trim(piece);
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      const std::string near = nearest_word(word, known);
      return wrong(name, text,
                   "a comma list of " + words_of(known) +
                       (near.empty() ? std::string() : " ('" + near + "'?)"));
    }
    if (std::find(list.begin(), list.end(), word) != list.end()) {
      return wrong(name, text, "a list that names each only once");
    }
    list.emplace_back(word);
  }
  return list;
}

void set_param(model::Labels& params, std::string_view name, std::string value) {
  params.emplace_back(std::string(name), std::move(value));
  model::normalise(params);
}

}  // namespace auscult::bench
