// Attribute values and what all three signals share: texts, ids, times, limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "model/tags.h"
#include "wire/otlp.h"

namespace auscult::wire {

// The scope that our own agent writes. What comes from it is in our form already.
inline constexpr std::string_view own_scope = "auscult";

// An AnyValue in an AnyValue, and so on. OTLP values are flat or nearly so.
inline constexpr size_t max_value_depth = 32;

// Valid UTF-8 of at most `max_bytes`, cut between characters.
std::string text_from(std::string_view bytes, size_t max_bytes);

// An AnyValue message as text: strings as they are, arrays and key-value lists as JSON, bytes as
// base64, an empty value as "". Throws Malformed, also when nested deeper than max_value_depth.
std::string any_value_text(std::string_view any_value, size_t max_bytes);

// Appends a KeyValue message; one without a key is left out.
void append_attribute(model::Labels& labels, std::string_view key_value, size_t max_bytes);

// Lower-case hex of an id that has exactly `n_bytes` bytes, not all zero; else empty.
std::string id_from(std::string_view bytes, size_t n_bytes);

// 0 means "not known": `fallback`. Nothing for a time beyond 2261, which does not fit.
std::optional<int64_t> time_from(uint64_t unix_nano, int64_t fallback);

// What the attributes of a resource say; and of a scope, for logs and spans.
struct Origin {
  model::Labels attributes;  // without the six tags; sorted
  model::Tags tags;
  size_t n_attributes = 0;
};
Origin origin_from(std::string_view resource, const DecodeOptions& options);
std::string scope_name(std::string_view scope);

// otel.scope.name, otel.scope.version and the scope's own attributes; nothing for own_scope.
void append_scope(model::Labels& labels, std::string_view scope, const DecodeOptions& options);

size_t bytes_of(const model::Labels& labels);
size_t bytes_of(const model::Tags& tags);

// The items that are kept and the count of those that are not.
template <typename T>
class Decoding {
 public:
  explicit Decoding(const DecodeOptions& options) : options_(options) {}

  void reject(std::string_view what, std::string_view why) {
    if (decoded_.rejected++ == 0) {
      constexpr size_t max_name_bytes = 200;
      decoded_.message = text_from(what, max_name_bytes);
      if (!what.empty()) decoded_.message += ": ";
      decoded_.message += why;
    }
  }

  // Whether `bytes` more may be held; a small request must not unfold into gigabytes.
  bool afford(size_t bytes) {
    if (bytes > options_.max_decoded_bytes - used_bytes_) return false;
    used_bytes_ += bytes;
    return true;
  }

  T& items() { return decoded_.items; }
  const DecodeOptions& options() const { return options_; }
  Decoded<T> take() { return std::move(decoded_); }

 private:
  const DecodeOptions& options_;
  Decoded<T> decoded_;
  size_t used_bytes_ = 0;
};

inline constexpr std::string_view too_much = "the request unpacks to more than one may hold";
inline constexpr std::string_view too_many_attributes = "more attributes than a series may have";
inline constexpr std::string_view bad_time = "time beyond the year 2261";

// The border of this folder: what `decode` throws becomes an Error.
template <typename Decode>
auto decode_guarded(std::string_view what, const Decode& decode) -> Result<decltype(decode())> {
  try {
    return decode();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::unavailable, std::string(what) + ": out of memory"};
  } catch (const std::exception& exception) {
    return Error{ErrorCode::invalid_input,
                 "malformed " + std::string(what) + ": " + exception.what()};
  }
}

}  // namespace auscult::wire
