// Exposition text: the pieces of a line of Prometheus's text format and of OpenMetrics.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "model/tags.h"
#include "wire/exposition.h"

namespace auscult::wire {

// Reads one line from left to right. What is not as the format has it throws Malformed.
class ExpositionLine {
 public:
  ExpositionLine(std::string_view line, ExpositionFormat format) : rest_(line), format_(format) {}

  bool at_end() const { return rest_.empty(); }
  bool starts_with(std::string_view text) const { return rest_.starts_with(text); }

  // Blanks and tabs, as many as there are; in OpenMetrics one blank. False when there are none.
  bool take_blanks();
  bool take(char c);
  // Up to the next blank or the end; may be empty.
  std::string_view take_word();
  // name{label="value",...} or {"name",label="value",...}, found by quotes and braces alone.
  std::string_view take_series();
  // [a-zA-Z_][a-zA-Z0-9_]*, with ':' too when `colons`; empty when there is none.
  std::string_view take_name(bool colons);
  // A text in quotes, without them and with \\, \" and \n as the characters they mean.
  std::string take_quoted();
  std::string_view rest() const { return rest_; }

 private:
  std::string_view take_first(size_t n_bytes);

  std::string_view rest_;
  ExpositionFormat format_;
};

// The labels that take_series() found, with __name__, sorted. Throws Malformed, also when they name
// no series (see flaw_of).
model::Labels labels_from_series(std::string_view series, ExpositionFormat format);

// A number as Go's ParseFloat reads it, which is what exporters write for; every NaN becomes the
// one that is no staleness marker. Throws Malformed.
double number_from(std::string_view text);

}  // namespace auscult::wire
