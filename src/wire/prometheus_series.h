// Prometheus series: what names a series in Prometheus's protocols, and what that becomes here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/series.h"

namespace auscult::wire {

struct SeriesLimits {
  size_t max_labels = 64;         // a series with more is rejected; __name__ does not count
  size_t max_label_bytes = 4096;  // and one with a longer name or value
};

// What a decoder did not keep; `message` says why for the first of it.
struct Rejected {
  uint64_t samples = 0;
  std::string message;

  void add(uint64_t n_samples, std::string_view metric, std::string_view why);
};

// The numbers are those of MetricMetadata.MetricType in Prometheus's prompb/types.proto.
enum class MetricType : uint8_t {
  unknown,
  counter,
  gauge,
  histogram,
  gauge_histogram,
  summary,
  info,
  stateset,
};

// "wait_seconds" of "wait_seconds_bucket": the name without the suffix that its family may add. A
// name without such a suffix is returned whole.
std::string_view family_of(std::string_view metric);

// By the type of its family; without one by the name: _total, _count, _sum and _bucket count up.
model::MetricKind kind_of(std::string_view metric, MetricType type);

// Why sorted labels, __name__ among them, name no series: no name, a label without a name or given
// twice, invalid UTF-8. Empty when they do. Prometheus accepts the same (3.x: names are any UTF-8).
std::string_view flaw_of(const model::Labels& labels);

// Why a series is beyond the limits, or empty.
std::string_view excess_of(const model::Labels& labels, const SeriesLimits& limits);

// Sorted labels without flaw -> series: labels that mean a tag become it, empty ones are left out.
model::Series series_from(model::Labels labels, MetricType type);

// Times that the store keeps: from 1970 to the end of 2261.
inline bool is_storable(int64_t timestamp_ms) {
  constexpr int64_t end_ms = 9'214'646'400'000;
  return timestamp_ms >= 0 && timestamp_ms < end_ms;
}

inline constexpr std::string_view unstorable_time = "a time before 1970 or beyond 2261";
inline constexpr std::string_view no_native_histograms = "native histograms are not supported";
inline constexpr std::string_view too_many_samples = "more samples than a request may have";

// The seed of keys that mean the same only within `scope`: one protocol, one target.
uint64_t key_seed(const model::SeriesIndex& index, std::string_view scope);

}  // namespace auscult::wire
