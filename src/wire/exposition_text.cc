#include "wire/exposition_text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

#include "wire/otlp_fields.h"
#include "wire/prometheus_series.h"

namespace auscult::wire {
namespace {

using model::Labels;

constexpr auto npos = std::string_view::npos;
constexpr std::string_view blanks = " \t";
constexpr uint64_t normal_nan_bits = 0x7ff8000000000001;  // model/value of Prometheus

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Where the text in quotes that begins at `open` ends: the index of the closing quote.
size_t closing_quote(std::string_view text, size_t open) {
  for (size_t i = open + 1; i < text.size(); ++i) {
    if (text[i] == '"') return i;
    if (text[i] == '\\') ++i;
  }
  throw Malformed("a quote that is not closed");
}

// Blanks within a series are free in the text format and not allowed in OpenMetrics.
void skip_blanks(ExpositionLine& line, ExpositionFormat format) {
  if (format == ExpositionFormat::prometheus_text) line.take_blanks();
}

// One label, or the metric's name in quotes. `line` stands on neither '}' nor blanks.
void take_label(ExpositionLine& line, ExpositionFormat format, Labels& labels) {
  const bool quoted = line.starts_with("\"");
  std::string name = quoted ? line.take_quoted() : std::string(line.take_name(false));
  if (name.empty()) throw Malformed("no label name where one should be");
  skip_blanks(line, format);
  if (quoted && (line.starts_with(",") || line.starts_with("}"))) {
    labels.emplace_back("__name__", std::move(name));
    return;
  }
  if (!line.take('=')) throw Malformed("no '=' after the label " + name);
  skip_blanks(line, format);
  if (!line.starts_with("\"")) throw Malformed("no quote after the '=' of the label " + name);
  labels.emplace_back(std::move(name), line.take_quoted());
}

}  // namespace

std::string_view ExpositionLine::take_first(size_t n_bytes) {
  const auto first = rest_.substr(0, n_bytes);
  rest_.remove_prefix(first.size());
  return first;
}

bool ExpositionLine::take_blanks() {
  if (format_ == ExpositionFormat::openmetrics) return take(' ');
  const size_t n = std::min(rest_.find_first_not_of(blanks), rest_.size());
  return !take_first(n).empty();
}

bool ExpositionLine::take(char c) {
  if (rest_.empty() || rest_.front() != c) return false;
  rest_.remove_prefix(1);
  return true;
}

std::string_view ExpositionLine::take_word() { return take_first(rest_.find_first_of(blanks)); }

std::string_view ExpositionLine::take_series() {
  const size_t name_end = std::min(rest_.find_first_of(" \t{"), rest_.size());
  const size_t brace = std::min(rest_.find_first_not_of(blanks, name_end), rest_.size());
  if (brace == rest_.size() || rest_[brace] != '{') return take_first(name_end);
  for (size_t i = brace + 1; i < rest_.size(); ++i) {
    if (rest_[i] == '}') return take_first(i + 1);
    if (rest_[i] == '"') i = closing_quote(rest_, i);
  }
  throw Malformed("a '{' that is not closed");
}

std::string_view ExpositionLine::take_name(bool colons) {
  size_t n = 0;
  while (n < rest_.size() &&
         (is_letter(rest_[n]) || (colons && rest_[n] == ':') || (n > 0 && is_digit(rest_[n])))) {
    ++n;
  }
  return take_first(n);
}

std::string ExpositionLine::take_quoted() {
  const auto inside = take_first(closing_quote(rest_, 0) + 1).substr(1);
  std::string text;
  for (size_t i = 0; i + 1 < inside.size(); ++i) {
    const char next = inside[i + 1];
    if (inside[i] == '\\' && (next == '\\' || next == '"' || next == 'n')) {
      text += next == 'n' ? '\n' : next;
      ++i;
    } else {
      text += inside[i];
    }
  }
  return text;
}

Labels labels_from_series(std::string_view series, ExpositionFormat format) {
  ExpositionLine line(series, format);
  Labels labels;
  if (const auto name = line.take_name(true); !name.empty()) labels.emplace_back("__name__", name);
  skip_blanks(line, format);
  if (line.take('{')) {
    skip_blanks(line, format);
    while (!line.take('}')) {
      take_label(line, format, labels);
      skip_blanks(line, format);
      const bool comma = line.take(',');
      skip_blanks(line, format);
      if (!comma && !line.starts_with("}")) throw Malformed("neither ',' nor '}' after a label");
    }
  }
  if (!line.at_end()) throw Malformed("no metric name where one should be");
  std::sort(labels.begin(), labels.end());
  if (const auto flaw = flaw_of(labels); !flaw.empty()) throw Malformed(std::string(flaw));
  return labels;
}

double number_from(std::string_view text) {
  const auto bad = [&] {
    constexpr size_t enough_bytes = 40;
    return Malformed("'" + std::string(text.substr(0, enough_bytes)) + "' is no number");
  };
  const bool plus = text.starts_with('+');
  const auto digits = plus ? text.substr(1) : text;
  double value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (stop != end || digits.empty() || (plus && digits.front() == '-')) throw bad();
  if (error == std::errc::result_out_of_range) {
    // from_chars does not tell too large from too small; ParseFloat takes the latter as zero.
    value = std::strtod(std::string(digits).c_str(), nullptr);
    if (std::isinf(value)) throw bad();
  }
  if (!std::isnan(value)) return value;
  constexpr size_t nan_bytes = 3;
  if (text.size() != nan_bytes) throw bad();  // nor a sign, nor what C prints after it
  return std::bit_cast<double>(normal_nan_bits);
}

}  // namespace auscult::wire
