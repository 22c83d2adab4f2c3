#include "base/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace auscult {
namespace {

// Builds a Json from the parser's events; refuses what is nested deeper than the limit.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(size_t max_depth) : max_depth_(max_depth) {}

  bool null() override { return add(Json()); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(int64_t value) override { return add(value); }
  bool number_unsigned(uint64_t value) override {
    if (value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return add(static_cast<int64_t>(value));
    }
    return add(value);
  }
  bool number_float(double value, const std::string&) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override { return open(Json(Json::Object{})); }
  bool start_array(size_t) override { return open(Json(Json::Array{})); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& value) override {
    keys_.back() = std::move(value);
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
  bool add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().is_array()) {
      open_.back().push(std::move(value));
    } else {
      open_.back().set(keys_.back(), std::move(value));
    }
    return true;
  }
  bool open(Json container) {
    if (open_.size() >= max_depth_) {
      error_ = "nested deeper than " + std::to_string(max_depth_) + " levels";
      return false;
    }
    open_.push_back(std::move(container));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    Json done = std::move(open_.back());
    open_.pop_back();
    keys_.pop_back();
    return add(std::move(done));
  }

  size_t max_depth_;
  std::vector<Json> open_;         // containers not yet closed, outermost first
  std::vector<std::string> keys_;  // the pending key of each
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
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  out.append(buffer.data(), end);
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
  if (const auto* u = std::get_if<uint64_t>(&value_)) return static_cast<int64_t>(*u);
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
