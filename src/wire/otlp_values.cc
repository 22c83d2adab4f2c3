#include "wire/otlp_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/json.h"
#include "base/text.h"
#include "wire/otlp_fields.h"

namespace auscult::wire {
namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

std::string_view cut(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  size_t end = max_bytes;
  constexpr size_t longest_tail = 3;  // of one UTF-8 character
  while (end > 0 && max_bytes - end < longest_tail && continues_character(text[end])) --end;
  return text.substr(0, continues_character(text[end]) ? max_bytes : end);
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t n = std::min<size_t>(3, bytes.size() - i);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) {
      bits = bits << 8U | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (size_t k = 0; k < 4; ++k) {
      text += k <= n ? digits[bits >> (18U - 6U * k) & 63U] : '=';
    }
  }
  return text;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

std::string quoted(std::string_view text) { return Json(text).dump(); }

// The text of a value; inside arrays and lists as JSON, where strings have quotes.
class ValueWriter {
 public:
  std::string take() { return std::move(out_); }

  void value(std::string_view any_value, size_t depth) {
    if (depth > max_value_depth) {
      throw Malformed("attribute value nested deeper than " + std::to_string(max_value_depth));
    }
    Fields fields(any_value);
    const size_t start = out_.size();
    bool set = false;
    while (fields.next()) {
      const auto number = fields.number();
      if (number < 1 || number > 7) continue;
      out_.resize(start);  // of a repeated value the last counts
      set = true;
      one_of(fields, number, depth);
    }
    if (!set && depth > 0) out_ += "null";
  }

 private:
  void one_of(Fields& fields, uint32_t number, size_t depth) {
    switch (number) {
      case 1:
        return text(fields.bytes(), depth);
      case 2:
        out_ += fields.varint() != 0 ? "true" : "false";
        return;
      case 3:
        out_ += std::to_string(static_cast<int64_t>(fields.varint()));
        return;
      case 4: {
        const double number_value = fields.float64();
        const bool needs_quotes = depth > 0 && !std::isfinite(number_value);
        out_ += needs_quotes ? quoted(number_text(number_value)) : number_text(number_value);
        return;
      }
      case 5:
        return array(fields.bytes(), depth);
      case 6:
        return list(fields.bytes(), depth);
      default:
        return text(base64(fields.bytes()), depth);
    }
  }

  void text(std::string_view bytes, size_t depth) {
    if (depth == 0) {
      out_ += bytes;
    } else {
      out_ += quoted(bytes);
    }
  }

  void array(std::string_view message, size_t depth) {
    out_ += '[';
    Fields fields(message);
    bool first = true;
    while (fields.next()) {
      const auto number = fields.number();
      if (number != 1) continue;
      if (!std::exchange(first, false)) out_ += ',';
      value(fields.bytes(), depth + 1);
    }
    out_ += ']';
  }

  void list(std::string_view message, size_t depth) {
    out_ += '{';
    Fields fields(message);
    bool first = true;
    while (fields.next()) {
      const auto number = fields.number();
      if (number != 1) continue;
      if (!std::exchange(first, false)) out_ += ',';
      std::string_view key;
      std::string_view any_value;
      Fields pair(fields.bytes());
      while (pair.next()) {
        const auto part = pair.number();
        if (part == 1) key = pair.bytes();
        if (part == 2) any_value = pair.bytes();
      }
      out_ += quoted(key) + ':';
      value(any_value, depth + 1);
    }
    out_ += '}';
  }

  std::string out_;
};

}  // namespace

std::string text_from(std::string_view bytes, size_t max_bytes) {
  std::string text = valid_utf8(cut(bytes, max_bytes));
  // U+FFFD is longer than the byte it stands for.
  if (text.size() > max_bytes) text.resize(cut(text, max_bytes).size());
  return text;
}

std::string any_value_text(std::string_view any_value, size_t max_bytes) {
  ValueWriter writer;
  writer.value(any_value, 0);
  return text_from(writer.take(), max_bytes);
}

void append_attribute(model::Labels& labels, std::string_view key_value, size_t max_bytes) {
  Fields fields(key_value);
  std::string_view key;
  std::string value;
  while (fields.next()) {
    const auto number = fields.number();
    if (number == 1) key = fields.bytes();
    if (number == 2) value = any_value_text(fields.bytes(), max_bytes);
  }
  if (!key.empty()) labels.emplace_back(text_from(key, max_bytes), std::move(value));
}

std::string id_from(std::string_view bytes, size_t n_bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  if (bytes.size() != n_bytes || bytes.find_first_not_of('\0') == std::string_view::npos) return {};
  std::string hex;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex += digits[byte >> 4U];
    hex += digits[byte & 15U];
  }
  return hex;
}

std::optional<int64_t> time_from(uint64_t unix_nano, int64_t fallback) {
  if (unix_nano == 0) return fallback;
  // The end of 2261: what the store keeps, too. An Int64 of nanoseconds ends in April 2262.
  constexpr uint64_t end_ns = 9'214'646'400'000'000'000;
  if (unix_nano >= end_ns) return {};
  return static_cast<int64_t>(unix_nano);
}

Origin origin_from(std::string_view resource, const DecodeOptions& options) {
  Origin origin;
  Fields fields(resource);
  while (fields.next()) {
    const auto number = fields.number();
    if (number != 1) continue;
    append_attribute(origin.attributes, fields.bytes(), options.max_label_bytes);
  }
  origin.n_attributes = origin.attributes.size();
  model::normalise(origin.attributes);
  origin.tags = model::take_tags(origin.attributes);
  return origin;
}

std::string scope_name(std::string_view scope) {
  std::string_view name;
  Fields fields(scope);
  while (fields.next()) {
    const auto number = fields.number();
    if (number == 1) name = fields.bytes();
  }
  return std::string(name);
}

void append_scope(model::Labels& labels, std::string_view scope, const DecodeOptions& options) {
  if (scope_name(scope) == own_scope) return;
  Fields fields(scope);
  while (fields.next()) {
    const auto number = fields.number();
    if (number == 1 || number == 2) {
      const auto text = fields.bytes();
      if (text.empty()) continue;
      labels.emplace_back(number == 1 ? "otel.scope.name" : "otel.scope.version",
                          text_from(text, options.max_label_bytes));
    } else if (number == 3) {
      append_attribute(labels, fields.bytes(), options.max_label_bytes);
    }
  }
}

size_t bytes_of(const model::Labels& labels) {
  size_t bytes = labels.size() * sizeof(model::Labels::value_type);
  for (const auto& [name, value] : labels) bytes += name.size() + value.size();
  return bytes;
}

size_t bytes_of(const model::Tags& tags) {
  size_t bytes = 0;
  for (const auto& [name, field] : model::tag_fields) bytes += (tags.*field).size();
  return bytes;
}

}  // namespace auscult::wire
