// Text: splitting, trimming, UTF-8, numbers, and the nearest word to a mistyped one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace auscult {

std::string_view trim(std::string_view text);

// Pieces between separators, empty ones included: split("a,,b", ',') has three.
std::vector<std::string_view> split(std::string_view text, char separator);

// Words between blanks (space, tab, newline), none empty.
std::vector<std::string_view> words(std::string_view text);

// The whole text as a number, or nothing.
std::optional<int64_t> to_int(std::string_view text);
std::optional<uint64_t> to_uint(std::string_view text);
std::optional<double> to_double(std::string_view text);  // also "nan", "inf"

// The text with every invalid UTF-8 byte replaced by U+FFFD. O(n).
std::string valid_utf8(std::string_view text);

// `value` with `digits` significant digits, no trailing zeros, never an exponent between 1e-4 and
// 1e15: "0.0214", "93011".
std::string format_number(double value, int digits = 4);

// "12.3 GiB", "512 B".
std::string format_bytes(double bytes);

// The candidate that a typing error is nearest to (edit distance at most 2 and below half of the
// length), or empty.
std::string nearest_word(std::string_view word, std::span<const std::string_view> candidates);

// A word for a POSIX shell: quoted where needed, so that a printed command can be pasted.
std::string shell_quote(std::string_view word);

}  // namespace auscult
