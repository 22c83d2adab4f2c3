// SeriesFinder: which series the points of an OTLP data point belong to. The bytes of its resource,
// metric and attributes are hashed; only where no series is known under the hash are they decoded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/series.h"
#include "wire/otlp.h"
#include "wire/otlp_labels.h"

namespace auscult::wire {

// What all points of a metric share.
struct MetricContext {
  std::string name;        // in Prometheus form
  std::string_view given;  // as sent, for messages
  model::MetricKind kind = model::MetricKind::gauge;
  bool is_delta = false;
  uint64_t seed = 0;  // a hash of all that decides on the series beside the point's attributes
};

// Which series of a data point: itself, or one of those that a histogram or summary becomes.
struct Part {
  std::string_view suffix;  // "_bucket"
  std::string_view label;   // "le", "quantile" or empty
  double bound = 0;         // its value
  model::MetricKind kind = model::MetricKind::gauge;
};

class SeriesFinder {
 public:
  SeriesFinder(model::SeriesIndex& index, const DecodeOptions& options)
      : index_(index), options_(options) {}

  // The resource is referred to while its points are looked up.
  void set_resource(const MetricResource& resource) { resource_ = &resource; }

  // The KeyValue messages of a data point; they and the context are referred to until the next
  // call.
  void set_point(const MetricContext& metric, const std::vector<std::string_view>& attributes);

  // invalid_input: the index has no room for a series more, or the new ones unpack to too much.
  // Throws Malformed.
  Result<const model::Series*> find(const Part& part);

 private:
  model::SeriesKey key_of(const Part& part) const;
  model::Series spell(const Part& part);

  model::SeriesIndex& index_;
  const DecodeOptions& options_;
  const MetricResource* resource_ = nullptr;
  const MetricContext* metric_ = nullptr;
  const std::vector<std::string_view>* attributes_ = nullptr;
  std::string bytes_;                  // of the point's attributes, kept for its memory
  model::SeriesKey point_key_;         // of the point as a whole
  size_t spelled_bytes_ = 0;           // of all new series, at most options_.max_decoded_bytes
  std::optional<model::Series> base_;  // what the parts share, once one had to be spelled out
};

}  // namespace auscult::wire
