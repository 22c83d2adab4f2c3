#include "wire/remote_write.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "wire/compression.h"
#include "wire/otlp_fields.h"
#include "wire/otlp_values.h"
#include "wire/prometheus_time_series.h"

namespace auscult::wire {
namespace {

using model::Series;

// What the metadata of one request say; read when a series is new, which is rare.
class Metadata {
 public:
  explicit Metadata(std::string_view request) : request_(request) {}

  MetricType type_of(std::string_view metric) {
    if (!std::exchange(read_, true)) read();
    for (const auto family : {metric, family_of(metric)}) {
      if (const auto found = types_.find(family); found != types_.end()) return found->second;
    }
    return MetricType::unknown;
  }

 private:
  void read() {
    for (Fields fields(request_); fields.next();) {
      const auto number = fields.number();
      if (number == 3) read_one(fields.bytes());
    }
  }

  void read_one(std::string_view message) {
    std::string_view family;
    uint64_t type = 0;
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 1) type = fields.varint();
      if (number == 2) family = fields.bytes();
    }
    if (type <= static_cast<uint64_t>(MetricType::stateset)) {
      types_[family] = static_cast<MetricType>(type);
    }
  }

  std::string_view request_;
  bool read_ = false;
  std::unordered_map<std::string_view, MetricType> types_;
};

class WriteDecoder {
 public:
  WriteDecoder(std::string_view request, const RemoteWriteOptions& options,
               model::SeriesIndex& index)
      : request_(request),
        options_(options),
        metadata_(request),
        series_(index, "remote_write", options.limits, options.ha_replica_label,
                [this](std::string_view metric) { return metadata_.type_of(metric); }) {}

  RemoteWrite decode() {
    for (Fields fields(request_); fields.next();) {
      const auto number = fields.number();
      if (number == 1) time_series(fields.bytes());
    }
    return std::move(out_);
  }

 private:
  // Samples enter the columns before their series is known: protobuf does not promise that the
  // labels come first.
  void time_series(std::string_view message) {
    LabelFields labels(message);
    const size_t begin = out_.points.size();
    uint64_t n_out_of_time = 0;
    uint64_t n_too_many = 0;
    uint64_t n_histograms = 0;
    for (Fields fields(message); fields.next();) {
      if (labels.take(fields)) continue;
      const auto number = fields.number();
      if (number == 2) sample(fields.bytes(), n_out_of_time, n_too_many);
      if (number == 3) ++out_.exemplars;
      if (number == 4) ++n_histograms;
    }
    if (!std::exchange(first_seen_, true)) read_origin(labels.bytes());
    const auto metric = [&] { return label_value(labels.bytes(), "__name__"); };
    out_.native_histograms += n_histograms;
    if (n_histograms > 0) {
      out_.rejected.add(n_histograms, metric(), no_native_histograms);
    }
    if (n_too_many > 0) out_.rejected.add(n_too_many, metric(), too_many_samples);
    if (n_out_of_time > 0) out_.rejected.add(n_out_of_time, metric(), unstorable_time);
    name_points(begin, labels.bytes());
  }

  void sample(std::string_view message, uint64_t& n_out_of_time, uint64_t& n_too_many) {
    const auto [timestamp_ms, value] = sample_from(message);
    if (!is_storable(timestamp_ms)) {
      ++n_out_of_time;
    } else if (out_.points.size() >= options_.max_samples) {
      ++n_too_many;
    } else {
      out_.points.push_back(nullptr, timestamp_ms, value);
    }
  }

  // Gives the points from `begin` on their series, or takes them out again.
  void name_points(size_t begin, std::string_view label_fields) {
    const size_t n = out_.points.size() - begin;
    if (n == 0) return;
    const Series* of = series_.find(label_fields, n, out_.rejected);
    if (of != nullptr) {
      std::fill(out_.points.series.begin() + static_cast<std::ptrdiff_t>(begin),
                out_.points.series.end(), of);
    } else {
      out_.points.series.resize(begin);
      out_.points.timestamps_ms.resize(begin);
      out_.points.values.resize(begin);
    }
  }

  void read_origin(std::string_view label_fields) {
    const auto read = [&](const std::string& label) {
      return label.empty()
                 ? std::string()
                 : text_from(label_value(label_fields, label), options_.limits.max_label_bytes);
    };
    out_.replica = read(options_.ha_replica_label);
    out_.cluster = read(options_.ha_cluster_label);
  }

  std::string_view request_;
  const RemoteWriteOptions& options_;
  Metadata metadata_;
  LabelledSeries series_;
  RemoteWrite out_;
  bool first_seen_ = false;
};

}  // namespace

Result<RemoteWrite> decode_remote_write(std::string_view body, const RemoteWriteOptions& options,
                                        model::SeriesIndex& index) {
  const std::string request = TRY(snappy_decompress(body, options.max_bytes), "remote write");
  return decode_guarded("remote write",
                        [&] { return WriteDecoder(request, options, index).decode(); });
}

}  // namespace auscult::wire
