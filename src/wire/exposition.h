// Exposition: the text that a target of scrapes answers -> points. Prometheus's text format 0.0.4
// and OpenMetrics 1.0. Sources: prometheus.io/docs/instrumenting/exposition_formats, the
// OpenMetrics specification, and model/textparse and scrape of Prometheus where these leave a
// choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "model/series.h"
#include "wire/prometheus_series.h"

namespace auscult::wire {

enum class ExpositionFormat : uint8_t { prometheus_text, openmetrics };

// By the answer's Content-Type: application/openmetrics-text is OpenMetrics, all else the older
// text, as targets without a Content-Type are old ones.
ExpositionFormat exposition_format(std::string_view content_type);

struct ScrapeTarget {
  model::Labels labels;  // job, instance and others that its samples get; sorted
  // A scraped label with the name of a target's: it wins, or it becomes exported_<name>.
  bool honor_labels = false;
};

struct ExpositionOptions {
  int64_t now_ms = 0;              // of samples without a time
  bool honor_timestamps = true;    // false: now_ms for all
  size_t max_samples = 1'000'000;  // more are rejected
  SeriesLimits limits;
};

struct Exposition {
  model::Points points;  // its series are what the scrape has seen, for staleness markers
  Rejected rejected;
  uint64_t exemplars = 0;  // dropped
};

// invalid_input: a malformed line, with its number and what is wrong, or OpenMetrics without "#
// EOF" at the end; nothing is to be used then, as Prometheus drops such a scrape. Rejected: series
// beyond the limits or the index's, times outside of 1970-2261. Help and units are not read. A line
// whose name{labels} was seen before under the same target is not parsed into labels again.
Result<Exposition> decode_exposition(std::string_view text, ExpositionFormat format,
                                     const ScrapeTarget& target, const ExpositionOptions& options,
                                     model::SeriesIndex& index);

}  // namespace auscult::wire
