#include "base/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/text.h"

namespace auscult {
namespace {

// Of each key the last value, in the place of the first. Sorting finds them: comparing every pair
// would let a small text keep a server busy for minutes.
void keep_last_of_each(Json::Object& members) {
  std::vector<size_t> order(members.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return members[a].first < members[b].first; });
  std::vector<bool> superseded(members.size(), false);
  bool any = false;
  for (size_t i = 0; i + 1 < order.size();) {
    size_t last = i;
    while (last + 1 < order.size() && members[order[last + 1]].first == members[order[i]].first) {
      superseded[order[++last]] = true;
      any = true;
    }
    if (last != i) members[order[i]].second = std::move(members[order[last]].second);
    i = last + 1;
  }
  if (!any) return;
  Json::Object kept;
  for (size_t i = 0; i < members.size(); ++i) {
    if (!superseded[i]) kept.push_back(std::move(members[i]));
  }
  members = std::move(kept);
}

// Builds a Json from the parser's events; refuses what is nested deeper than the limit.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(size_t max_depth) : max_depth_(max_depth) {}

  bool null() override { return add(Json()); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(int64_t value) override { return add(value); }
  bool number_unsigned(uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string&) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override { return open(); }
  bool start_array(size_t) override { return open(); }
  bool end_object() override {
    Json::Object members = std::move(open_.back().members);
    open_.pop_back();
    keep_last_of_each(members);
    return add(std::move(members));
  }
  bool end_array() override {
    Json::Array elements = std::move(open_.back().elements);
    open_.pop_back();
    return add(std::move(elements));
  }
  bool key(std::string& value) override {
    open_.back().members.emplace_back(std::move(value), nullptr);
    return true;
  }
  bool parse_error(size_t, const std::string&, const nlohmann::json::exception& error) override {
    error_ = error.what();
    // Drop the library's own prefix "[json.exception.parse_error.101] ".
    if (const auto end = error_.find("] "); end != std::string::npos) error_.erase(0, end + 2);
    return false;
  }

  Json root_;
  std::string error_;

 private:
  // A container that is not yet closed; an object's last member waits for its value.
  struct Open {
    Json::Array elements;
    Json::Object members;
  };

  bool add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().members.empty()) {
      open_.back().elements.push_back(std::move(value));
    } else {
      open_.back().members.back().second = std::move(value);
    }
    return true;
  }
  bool open() {
    if (open_.size() >= max_depth_) {
      error_ = "nested deeper than " + std::to_string(max_depth_) + " levels";
      return false;
    }
    open_.emplace_back();
    return true;
  }

  size_t max_depth_;
  std::vector<Open> open_;  // outermost first
};

void write_string(std::string& out, std::string_view text) {
  static constexpr char hex[] = "0123456789abcdef";
  const std::string valid = valid_utf8(text);
  out += '"';
  for (const char c : valid) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (byte < 0x20) {
          out += "\\u00";
          out += hex[byte >> 4U];
          out += hex[byte & 15U];
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

void write_number(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  // As JavaScript writes numbers: the fewest digits that read back equal, an exponent only below
  // 1e-6 and from 1e21 on.
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific)
                       .ptr;
  std::string_view text(buffer.data(), static_cast<size_t>(end - buffer.data()));
  if (text.front() == '-') {
    out += '-';
    text.remove_prefix(1);
  }
  const size_t e = text.find('e');
  int exponent = 0;
  const size_t sign_width = text[e + 1] == '+' ? 1 : 0;  // from_chars reads no plus
  std::from_chars(text.data() + e + 1 + sign_width, end, exponent);
  std::string digits(1, text.front());
  if (e > 2) digits += text.substr(2, e - 2);
  const int n_digits = static_cast<int>(digits.size());
  if (exponent >= 21 || exponent < -6) {
    out += digits.front();
    if (n_digits > 1) out += '.' + digits.substr(1);
    out += exponent < 0 ? "e-" : "e+";
    out += std::to_string(std::abs(exponent));
  } else if (exponent < 0) {
    out += "0." + std::string(static_cast<size_t>(-exponent) - 1, '0') + digits;
  } else if (n_digits <= exponent + 1) {
    out += digits + std::string(static_cast<size_t>(exponent) + 1 - digits.size(), '0');
  } else {
    const auto before_point = static_cast<size_t>(exponent) + 1;
    out += digits.substr(0, before_point) + '.' + digits.substr(before_point);
  }
}

struct Style {
  int indent;   // spaces a level; negative: one line
  bool sorted;  // members in the order of their keys
};

void new_line(std::string& out, const Style& style, int level) {
  if (style.indent < 0) return;
  out += '\n';
  out.append(static_cast<size_t>(style.indent) * static_cast<size_t>(level), ' ');
}

void write(std::string& out, const Json& json, const Style& style, int level) {
  if (json.is_null()) {
    out += "null";
  } else if (json.is_bool()) {
    out += json.bool_or(false) ? "true" : "false";
  } else if (json.is_integer()) {
    out += json.integer_text();
  } else if (json.is_number()) {
    write_number(out, json.number_or(0));
  } else if (json.is_string()) {
    write_string(out, json.string_or(""));
  } else if (json.is_array()) {
    out += '[';
    bool first = true;
    for (const Json& element : json.array()) {
      if (!first) out += ',';
      first = false;
      new_line(out, style, level + 1);
      write(out, element, style, level + 1);
    }
    if (!json.array().empty()) new_line(out, style, level);
    out += ']';
  } else if (json.is_object()) {
    std::vector<const Json::Member*> members;
    for (const auto& member : json.object()) members.push_back(&member);
    if (style.sorted) {
      std::sort(members.begin(), members.end(),
                [](const auto* a, const auto* b) { return a->first < b->first; });
    }
    out += '{';
    bool first = true;
    for (const auto* member : members) {
      if (!first) out += ',';
      first = false;
      new_line(out, style, level + 1);
      write_string(out, member->first);
      out += style.indent < 0 ? ":" : ": ";
      write(out, member->second, style, level + 1);
    }
    if (!members.empty()) new_line(out, style, level);
    out += '}';
  }
}

const Json null_json;

}  // namespace

Result<Json> Json::parse(std::string_view text, const Limits& limits) {
  if (text.size() > limits.bytes) {
    return Error{ErrorCode::invalid_input, "JSON text of " + std::to_string(text.size()) +
                                               " bytes, the limit is " +
                                               std::to_string(limits.bytes)};
  }
  Builder builder(limits.depth);
  if (!nlohmann::json::sax_parse(text, &builder)) {
    return Error{ErrorCode::invalid_input,
                 "invalid JSON: " + (builder.error_.empty() ? "unreadable" : builder.error_)};
  }
  return std::move(builder.root_);
}

Json::Json(uint64_t value) {
  if (value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    value_ = static_cast<int64_t>(value);
  } else {
    value_ = value;
  }
}

bool Json::bool_or(bool fallback) const {
  const auto* value = std::get_if<bool>(&value_);
  return value != nullptr ? *value : fallback;
}

double Json::number_or(double fallback) const {
  if (const auto* i = std::get_if<int64_t>(&value_)) return static_cast<double>(*i);
  if (const auto* u = std::get_if<uint64_t>(&value_)) return static_cast<double>(*u);
  if (const auto* d = std::get_if<double>(&value_)) return *d;
  return fallback;
}

int64_t Json::int_or(int64_t fallback) const {
  if (const auto* i = std::get_if<int64_t>(&value_)) return *i;
  if (const auto* d = std::get_if<double>(&value_); d != nullptr && std::abs(*d) < 9e18) {
    return static_cast<int64_t>(*d);
  }
  return fallback;
}

std::string Json::integer_text() const {
  if (const auto* u = std::get_if<uint64_t>(&value_)) return std::to_string(*u);
  return std::to_string(int_or(0));
}

std::string Json::string_or(std::string_view fallback) const {
  const auto* value = std::get_if<std::string>(&value_);
  return value != nullptr ? *value : std::string(fallback);
}

const Json::Array& Json::array() const {
  static const Array none;
  const auto* value = std::get_if<Array>(&value_);
  return value != nullptr ? *value : none;
}

const Json::Object& Json::object() const {
  static const Object none;
  const auto* value = std::get_if<Object>(&value_);
  return value != nullptr ? *value : none;
}

const Json& Json::operator[](std::string_view key) const {
  for (const auto& [name, value] : object()) {
    if (name == key) return value;
  }
  return null_json;
}

bool Json::has(std::string_view key) const {
  for (const auto& [name, value] : object()) {
    if (name == key) return true;
  }
  return false;
}

Json& Json::set(std::string_view key, Json value) {
  if (!is_object()) value_ = Object{};
  auto& members = std::get<Object>(value_);
  for (auto& [name, old] : members) {
    if (name == key) {
      old = std::move(value);
      return *this;
    }
  }
  members.emplace_back(std::string(key), std::move(value));
  return *this;
}

Json& Json::push(Json value) {
  if (!is_array()) value_ = Array{};
  std::get<Array>(value_).push_back(std::move(value));
  return *this;
}

std::string Json::dump(int indent) const {
  std::string out;
  write(out, *this, {.indent = indent, .sorted = false}, 0);
  return out;
}

std::string Json::canonical() const {
  std::string out;
  write(out, *this, {.indent = -1, .sorted = true}, 0);
  return out;
}

}  // namespace auscult
