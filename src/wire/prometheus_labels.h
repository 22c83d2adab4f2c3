// Label fields: the series that the labels of a TimeSeries or ChunkedSeries name.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "model/series.h"
#include "wire/prometheus_series.h"

namespace auscult::wire {

// The bytes of the fields `repeated Label labels = 1` of one message, gathered while it is read.
// Encoders write them first and together; then the bytes are those of the message itself.
class LabelFields {
 public:
  explicit LabelFields(std::string_view message) : message_(message) {}

  // `label` is the content of a field that was just read; `first` that only labels came before it.
  void add(std::string_view label, bool first);
  std::string_view bytes() const {
    return scattered_.empty() ? message_.substr(0, leading_bytes_) : std::string_view(scattered_);
  }

 private:
  std::string_view message_;
  size_t leading_bytes_ = 0;
  std::string scattered_;
};

// The value of one label, or empty.
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
