// TimeSeries of Prometheus: the labels that name one, and its samples. Source: prompb/types.proto.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "model/series.h"
#include "wire/otlp_fields.h"
#include "wire/prometheus_series.h"

namespace auscult::wire {

struct TimedValue {
  int64_t timestamp_ms = 0;
  double value = 0;
};

// A Sample message. Throws Malformed.
inline TimedValue sample_from(std::string_view message) {
  TimedValue sample;
  for (Fields fields(message); fields.next();) {
    const auto number = fields.number();
    if (number == 1) sample.value = fields.float64();
    if (number == 2) sample.timestamp_ms = static_cast<int64_t>(fields.varint());
  }
  return sample;
}

// The bytes of the fields `repeated Label labels = 1` of a TimeSeries or ChunkedSeries, gathered
// while it is read. Encoders write them first and together; then the bytes are the message's own.
class LabelFields {
 public:
  explicit LabelFields(std::string_view message) : message_(message) {}

  // Whether the field that `fields` stands on is a label, which is read then.
  bool take(Fields& fields) {
    if (fields.number() != 1) {
      others_came_ = true;
      return false;
    }
    const auto label = fields.bytes();
    if (others_came_) {
      add_scattered(label);
    } else {
      leading_bytes_ = static_cast<size_t>(label.data() + label.size() - message_.data());
    }
    return true;
  }

  std::string_view bytes() const {
    return scattered_.empty() ? message_.substr(0, leading_bytes_) : std::string_view(scattered_);
  }

 private:
  void add_scattered(std::string_view label);

  std::string_view message_;
  bool others_came_ = false;
  size_t leading_bytes_ = 0;
  std::string scattered_;
};

// The value of one label, or empty. Throws Malformed.
std::string_view label_value(std::string_view label_fields, std::string_view name);

// Finds series by their label fields, and spells out those that are new.
class LabelledSeries {
 public:
  using TypeOf = std::function<MetricType(std::string_view metric)>;

  // `scope` as for key_seed; the label `dropped` is no part of a series, and may be empty.
  LabelledSeries(model::SeriesIndex& index, std::string_view scope, const SeriesLimits& limits,
                 std::string_view dropped, TypeOf type_of);

  // Null: the series is rejected, and the `n_samples` with it. Throws Malformed.
  const model::Series* find(std::string_view label_fields, uint64_t n_samples, Rejected& rejected) {
    const model::SeriesKey key = hash128(label_fields, seed_);
    const model::Series* known = index_.find(key);
    return known != nullptr ? known : add(key, label_fields, n_samples, rejected);
  }

 private:
  const model::Series* add(const model::SeriesKey& key, std::string_view label_fields,
                           uint64_t n_samples, Rejected& rejected);

  model::SeriesIndex& index_;
  uint64_t seed_;
  SeriesLimits limits_;
  std::string dropped_;
  TypeOf type_of_;
};

}  // namespace auscult::wire
