// Series: what a metric's samples have in common, and samples as columns.
//
// A client names a series in full with every sample it sends. Decoding that name each time would
// cost more than everything else that happens to the sample, so decoders ask a SeriesIndex for the
// series by a hash of the bytes that spell it, and spell it out only when it is new.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "model/sample.h"
#include "model/tags.h"

namespace auscult::model {

struct Series {
  std::string metric;  // as Prometheus writes it
  Labels labels;       // without the six tags; sorted
  Tags tags;
  MetricKind kind = MetricKind::gauge;
  uint64_t id = 0;  // given by the index; series_id() unless two names have one hash
};

// What names the sample; without an id.
Series series_of(const Sample& sample);

// The length-prefixed text of metric, tags and labels: equal for equal series only. `kind` is not
// part of it.
std::string identity(const Series& series);

// Stable across restarts and machines: 24 bits of a hash of cluster and node, then 40 of a hash of
// the identity. Series of one node are neighbours where rows are sorted by id, and have their times
// in common: that makes a stored sample half as large as neighbours by chance would.
uint64_t series_id(const Series& series);

// As above with another name than the identity, for a series whose id is taken.
uint64_t series_id(const Series& series, std::string_view name);

// Hash of the bytes that spell a series in one protocol. The same series may have many.
using SeriesKey = Hash128;

// Thread-safe. What it returns lives at least an hour longer than the last find() or add() of it.
class SeriesIndex {
 public:
  virtual ~SeriesIndex() = default;

  // A random number of this process, for the hash of a key.
  virtual uint64_t seed() const = 0;

  // Null when the key is not known.
  virtual const Series* find(const SeriesKey& key) = 0;

  // The series with this identity, new or not, from now on under this key too. invalid_input names
  // the metric whose limit on series is reached.
  virtual Result<const Series*> add(const SeriesKey& key, Series series) = 0;
};

// Samples in columns of equal length.
struct Points {
  std::vector<const Series*> series;
  std::vector<int64_t> timestamps_ms;
  std::vector<double> values;

  size_t size() const { return series.size(); }
  bool empty() const { return series.empty(); }
  void reserve(size_t n);
  void push_back(const Series* of, int64_t timestamp_ms, double value) {
    series.push_back(of);
    timestamps_ms.push_back(timestamp_ms);
    values.push_back(value);
  }
};

// Keeps every series for as long as it lives itself, without bound or eviction: for tools that
// decode one request, and for tests.
class PlainSeriesIndex : public SeriesIndex {
 public:
  uint64_t seed() const override { return 0; }
  const Series* find(const SeriesKey& key) override;
  Result<const Series*> add(const SeriesKey& key, Series series) override;

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<Series>> by_identity_;
  std::unordered_map<SeriesKey, Series*, Hash128Hasher> by_key_;
};

// The two forms of the same thing. A sample is found under the hash of its identity.
Result<Points> to_points(std::span<const Sample> samples, SeriesIndex& index);
Samples to_samples(const Points& points);

}  // namespace auscult::model
