// Json: a JSON value of our own, so that no parser's type appears in a header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace auscult {

class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;  // in the order of insertion; keys are unique

  struct Limits {
    size_t bytes = 64U << 20U;
    size_t depth = 100;
  };

  Json() = default;                                         // null
  Json(std::nullptr_t) {}                                   // NOLINT(google-explicit-constructor)
  Json(bool value) : value_(value) {}                       // NOLINT(google-explicit-constructor)
  Json(int value) : value_(static_cast<int64_t>(value)) {}  // NOLINT(google-explicit-constructor)
  Json(int64_t value) : value_(value) {}                    // NOLINT(google-explicit-constructor)
  Json(uint64_t value);                                     // NOLINT(google-explicit-constructor)
  Json(double value) : value_(value) {}                     // NOLINT(google-explicit-constructor)
  Json(const char* value) : value_(std::string(value)) {}   // NOLINT(google-explicit-constructor)
  // NOLINTNEXTLINE(google-explicit-constructor)
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Json(Array value) : value_(std::move(value)) {}        // NOLINT(google-explicit-constructor)
  Json(Object value) : value_(std::move(value)) {}       // NOLINT(google-explicit-constructor)

  // The value of a JSON text, or invalid_input (a syntax error with line and column). A duplicate
  // key keeps the last value. O(n log n), also for texts that were made to be slow.
  static Result<Json> parse(std::string_view text, const Limits& limits);
  static Result<Json> parse(std::string_view text) { return parse(text, Limits{}); }

  bool is_null() const { return value_.index() == 0; }
  bool is_bool() const { return std::holds_alternative<bool>(value_); }
  bool is_number() const { return value_.index() >= 2 && value_.index() <= 4; }
  bool is_integer() const { return value_.index() == 2 || value_.index() == 3; }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }

  // The value when it has that type (numbers convert to one another; int_or cuts decimals off),
  // else, also for a number that int64_t cannot hold, the fallback.
  bool bool_or(bool fallback) const;
  double number_or(double fallback) const;
  int64_t int_or(int64_t fallback) const;
  std::string string_or(std::string_view fallback) const;
  std::string integer_text() const;  // the digits of an integer

  // Elements and members; empty when it is no array, no object.
  const Array& array() const;
  const Object& object() const;

  // The member, or a null value when absent: chains of lookups need no checks.
  const Json& operator[](std::string_view key) const;
  bool has(std::string_view key) const;

  // Sets a member (turns null into an object) or appends an element (turns null into an array).
  Json& set(std::string_view key, Json value);
  Json& push(Json value);

  // One line, or indented. Doubles print the shortest text that reads back equal; NaN and infinity
  // print as null; invalid UTF-8 becomes U+FFFD.
  std::string dump(int indent = -1) const;

  // RFC 8785 in spirit: members sorted by key (in bytes) at every level, one line, numbers as
  // JavaScript writes them. What signatures cover.
  std::string canonical() const;

  bool operator==(const Json&) const = default;

 private:
  // uint64_t holds only what int64_t cannot: one number has one form.
  std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, Array, Object> value_;
};

}  // namespace auscult
