// Sample: one value of one series at one time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/tags.h"

namespace auscult::model {

enum class MetricKind : uint8_t { gauge, counter };

struct Sample {
  std::string metric;  // as Prometheus writes it, `node_memory_MemAvailable_bytes`
  Labels labels;       // without the six tags; sorted
  Tags tags;
  int64_t timestamp_ns = 0;
  double value = 0;
  MetricKind kind = MetricKind::gauge;
};

using Samples = std::vector<Sample>;

// Prometheus text format, sorted by metric and labels, with # TYPE lines; timestamps in ms when
// `with_timestamps`. Tags are printed as labels where set.
std::string to_prometheus_text(const Samples& samples, bool with_timestamps);

}  // namespace auscult::model
