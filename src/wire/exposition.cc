#include "wire/exposition.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/text.h"
#include "wire/exposition_text.h"
#include "wire/otlp_fields.h"
#include "wire/otlp_labels.h"
#include "wire/otlp_values.h"

namespace auscult::wire {
namespace {

using model::Labels;
using model::Series;

// The largest series within the limits fits, were every byte of it escaped. Without a bound a line
// of five bytes a label would grow to two strings a label.
constexpr size_t max_line_bytes = size_t{1} << 20U;

struct TypeWord {
  std::string_view word;
  MetricType type;
  bool in_text;
  bool in_openmetrics;
};

constexpr TypeWord type_words[] = {
    {"counter", MetricType::counter, true, true},
    {"gauge", MetricType::gauge, true, true},
    {"histogram", MetricType::histogram, true, true},
    {"summary", MetricType::summary, true, true},
    {"untyped", MetricType::unknown, true, false},
    {"unknown", MetricType::unknown, false, true},
    {"gaugehistogram", MetricType::gauge_histogram, false, true},
    {"info", MetricType::info, false, true},
    {"stateset", MetricType::stateset, false, true},
};

MetricType type_from(std::string_view word, ExpositionFormat format) {
  for (const auto& row : type_words) {
    const bool known = format == ExpositionFormat::openmetrics ? row.in_openmetrics : row.in_text;
    if (known && row.word == word) return row.type;
  }
  throw Malformed("'" + std::string(word) + "' is no type of a metric");
}

// mutateSampleLabels() of Prometheus's scrape/scrape.go: where both have a label, the scraped one
// gets "exported_" in front, as often as it takes; short names first.
Labels with_target(Labels scraped, const ScrapeTarget& target) {
  Labels renamed;
  for (const auto& [name, value] : target.labels) {
    const auto existing = std::string(model::label(scraped, name));
    const bool present = std::any_of(
        scraped.begin(), scraped.end(),
        [&, key = std::string_view(name)](const auto& entry) { return entry.first == key; });
    if (present && target.honor_labels) continue;
    if (!existing.empty()) renamed.emplace_back(name, existing);
    set_label(scraped, name, value, true);
  }
  std::stable_sort(renamed.begin(), renamed.end(),
                   [](const auto& a, const auto& b) { return a.first.size() < b.first.size(); });
  for (auto& [name, value] : renamed) {
    do name.insert(0, "exported_");
    while (!model::label(scraped, name).empty());
    set_label(scraped, name, value, true);
  }
  return scraped;
}

class ExpositionDecoder {
 public:
  ExpositionDecoder(ExpositionFormat format, const ScrapeTarget& target,
                    const ExpositionOptions& options, model::SeriesIndex& index)
      : format_(format),
        target_(target),
        options_(options),
        index_(index),
        seed_(key_seed(index, "scrape:" + std::string(target.honor_labels ? "honor:" : "") +
                                  model::identity({.labels = target.labels}))) {}

  Exposition decode(std::string_view text) {
    for (uint64_t number = 1; !text.empty(); ++number) {
      const size_t end = std::min(text.find('\n'), text.size());
      try {
        line(text.substr(0, end));
      } catch (const Malformed& malformed) {
        throw Malformed("line " + std::to_string(number) + ": " + malformed.what());
      }
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (format_ == ExpositionFormat::openmetrics && !ended_) throw Malformed("no # EOF at the end");
    return std::move(out_);
  }

 private:
  bool openmetrics() const { return format_ == ExpositionFormat::openmetrics; }

  void line(std::string_view text) {
    ExpositionLine line(text, format_);
    if (ended_) throw Malformed("text after # EOF");
    if (text.size() > max_line_bytes) throw Malformed("longer than 1 MiB");
    if (!openmetrics()) {
      line.take_blanks();
      if (line.at_end()) return;
    }
    if (line.take('#')) {
      comment(line);
    } else {
      sample(line);
    }
  }

  void comment(ExpositionLine& line) {
    const bool blanks = line.take_blanks();
    const auto word = blanks ? line.take_word() : std::string_view();
    if (openmetrics() && word == "EOF" && line.at_end()) {
      ended_ = true;
      return;
    }
    const bool metadata = word == "HELP" || word == "TYPE" || (openmetrics() && word == "UNIT");
    if (!metadata || !line.take_blanks()) {
      if (openmetrics()) throw Malformed("a comment that is none of HELP, TYPE, UNIT, EOF");
      return;
    }
    const std::string family =
        line.starts_with("\"") ? line.take_quoted() : std::string(line.take_name(true));
    if (family.empty()) throw Malformed("no metric name after " + std::string(word));
    if (word != "TYPE") return;
    type_ = type_from(trim(line.rest()), format_);
    family_ = family;
  }

  MetricType type_of(std::string_view metric) const {
    if (metric == family_) return type_;
    const bool has_parts = type_ != MetricType::gauge && type_ != MetricType::unknown;
    return has_parts && family_of(metric) == family_ ? type_ : MetricType::unknown;
  }

  void sample(ExpositionLine& line) {
    const auto text = line.take_series();
    if (!line.take_blanks()) throw Malformed("no value after the series");
    const double value = number_from(line.take_word());
    const int64_t timestamp_ms = time_from_rest(line);
    const model::SeriesKey key = hash128(text, seed_);
    const Series* of = index_.find(key);
    if (of == nullptr) of = add(key, text);
    if (of == nullptr) return;
    if (!is_storable(timestamp_ms)) return out_.rejected.add(1, of->metric, unstorable_time);
    if (out_.points.size() >= options_.max_samples) {
      return out_.rejected.add(1, of->metric, too_many_samples);
    }
    out_.points.push_back(of, timestamp_ms, value);
  }

  // What may follow a value: a time and, in OpenMetrics, an exemplar.
  int64_t time_from_rest(ExpositionLine& line) {
    int64_t timestamp_ms = options_.now_ms;
    bool blanks = line.take_blanks();
    if (blanks && !line.at_end() && !line.starts_with("#")) {
      const int64_t given = time_from_word(line.take_word());
      if (options_.honor_timestamps) timestamp_ms = given;
      blanks = line.take_blanks();
    }
    if (blanks && openmetrics() && line.take('#')) {
      exemplar(line);
    } else if (!line.at_end() || (blanks && openmetrics())) {
      throw Malformed("more than a value and a time after the series");
    }
    return timestamp_ms;
  }

  int64_t time_from_word(std::string_view word) const {
    if (!openmetrics()) {
      const auto milliseconds = to_int(word);
      if (!milliseconds) throw Malformed("a time that is no number of milliseconds");
      return *milliseconds;
    }
    const double seconds = number_from(word);
    if (!std::isfinite(seconds)) throw Malformed("a time that is no number of seconds");
    constexpr double ms_per_second = 1000;
    constexpr double beyond_every_time_s = 1e13;
    if (std::abs(seconds) > beyond_every_time_s) return -1;
    return std::llround(seconds * ms_per_second);
  }

  void exemplar(ExpositionLine& line) {
    if (!line.take_blanks() || !line.starts_with("{")) throw Malformed("no labels after '#'");
    line.take_series();
    if (!line.take_blanks()) throw Malformed("no value in the exemplar");
    number_from(line.take_word());
    if (line.take_blanks()) number_from(line.take_word());
    if (!line.at_end()) throw Malformed("more than a value and a time in the exemplar");
    ++out_.exemplars;
  }

  const Series* add(const model::SeriesKey& key, std::string_view text) {
    const Labels labels = with_target(labels_from_series(text, format_), target_);
    const std::string metric(model::label(labels, "__name__"));
    if (const auto why = excess_of(labels, options_.limits); !why.empty()) {
      out_.rejected.add(1, metric, why);
      return nullptr;
    }
    const auto added = index_.add(key, series_from(labels, type_of(metric)));
    if (added) return *added;
    out_.rejected.add(1, {}, added.error().message);
    return nullptr;
  }

  ExpositionFormat format_;
  const ScrapeTarget& target_;
  const ExpositionOptions& options_;
  model::SeriesIndex& index_;
  uint64_t seed_;
  std::string family_;  // of the last # TYPE
  MetricType type_ = MetricType::unknown;
  bool ended_ = false;
  Exposition out_;
};

}  // namespace

ExpositionFormat exposition_format(std::string_view content_type) {
  const auto type = trim(content_type.substr(0, content_type.find(';')));
  return type == "application/openmetrics-text" ? ExpositionFormat::openmetrics
                                                : ExpositionFormat::prometheus_text;
}

Result<Exposition> decode_exposition(std::string_view text, ExpositionFormat format,
                                     const ScrapeTarget& target, const ExpositionOptions& options,
                                     model::SeriesIndex& index) {
  return decode_guarded(
      "exposition", [&] { return ExpositionDecoder(format, target, options, index).decode(text); });
}

}  // namespace auscult::wire
