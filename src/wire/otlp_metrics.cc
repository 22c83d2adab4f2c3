// Metrics: ExportMetricsServiceRequest -> Points.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "wire/otlp.h"
#include "wire/otlp_buckets.h"
#include "wire/otlp_fields.h"
#include "wire/otlp_json.h"
#include "wire/otlp_labels.h"
#include "wire/otlp_names.h"
#include "wire/otlp_series.h"
#include "wire/otlp_values.h"

namespace auscult::wire {
namespace {

using model::Labels;
using model::MetricKind;
using model::Points;

constexpr uint64_t no_recorded_value = 1;  // bit of DataPointFlags
constexpr uint64_t delta = 1;              // AggregationTemporality
constexpr uint64_t cumulative = 2;

// What every kind of data point has.
struct Point {
  std::vector<std::string_view> attributes;  // KeyValue messages
  uint64_t unix_nano = 0;
  uint64_t flags = 0;
};

class MetricsDecoder {
 public:
  MetricsDecoder(const DecodeOptions& options, model::SeriesIndex& index)
      : out_(options), options_(options), index_(index), finder_(index, options) {}

  Decoded<Points> decode(std::string_view request) {
    Fields fields(request);
    while (fields.next()) {
      const auto number = fields.number();
      if (number == 1) resource_metrics(fields.bytes());
    }
    return out_.take();
  }

 private:
  // Protobuf does not promise an order of fields: what others depend on is looked for first.
  void resource_metrics(std::string_view message) {
    std::string_view resource;
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 1) resource = fields.bytes();
    }
    resource_ = metric_resource_from(resource, options_);
    resource_hash_ = hash128(resource, index_.seed()).low;
    finder_.set_resource(resource_);
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 2) scope_metrics(fields.bytes());
    }
  }

  void scope_metrics(std::string_view message) {
    std::string_view scope;
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 1) scope = fields.bytes();
    }
    const bool ours = scope_name(scope) == own_scope;
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 2) metric(fields.bytes(), ours);
    }
  }

  void metric(std::string_view message, bool names_are_final) {
    std::string_view name;
    std::string_view unit;
    std::string_view data;
    uint32_t kind = 0;
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 1) {
        name = fields.bytes();
      } else if (number == 3) {
        unit = fields.bytes();
      } else if (number == 12) {
        Labels metadata;
        append_attribute(metadata, fields.bytes(), options_.max_label_bytes);
        names_are_final = names_are_final || !model::label(metadata, "prometheus.type").empty();
      } else if (number == 5 || number == 7 || (number >= 9 && number <= 11)) {
        kind = number;
        data = fields.bytes();
      }
    }
    if (kind != 0) points(name, unit, kind, data, names_are_final);
  }

  void points(std::string_view name, std::string_view unit, uint32_t kind, std::string_view data,
              bool name_is_final) {
    constexpr uint32_t gauge = 5;
    constexpr uint32_t sum = 7;
    constexpr uint32_t summary = 11;
    uint64_t temporality = 0;
    bool monotonic = false;
    for (Fields fields(data); fields.next();) {
      const auto number = fields.number();
      if (number == 2 && kind != gauge && kind != summary) temporality = fields.varint();
      if (number == 3 && kind == sum) monotonic = fields.varint() != 0;
    }
    const NamedAs named_as = kind == gauge              ? NamedAs::gauge
                             : kind == sum && monotonic ? NamedAs::monotonic_sum
                             : kind == sum              ? NamedAs::gauge
                                                        : NamedAs::other;
    MetricContext metric;
    metric.given = name;
    metric.is_delta = temporality == delta;
    metric.kind = kind == gauge || (kind == sum && !monotonic) || metric.is_delta
                      ? MetricKind::gauge
                      : MetricKind::counter;
    const bool keep_name = name_is_final && is_metric_name(name);
    if (name.size() <= options_.max_label_bytes) {
      metric.name = keep_name ? std::string(name) : metric_name(name, unit, named_as);
    }
    const bool has_temporality = kind != gauge && kind != summary;
    const uint64_t flags =
        (metric.is_delta ? 2U : 0U) + (metric.kind == MetricKind::counter ? 1U : 0U);
    metric.seed = hash128(metric.name, resource_hash_ + flags).low;
    std::string_view why;
    if (metric.name.empty()) {
      why = "no metric name that Prometheus could write";
    } else if (has_temporality && metric.is_delta && !options_.keep_delta) {
      why = "delta temporality is not supported, export cumulative values";
    } else if (has_temporality && !metric.is_delta && temporality != cumulative) {
      why = "no aggregation temporality";
    }
    for (Fields fields(data); fields.next();) {
      const auto number = fields.number();
      if (number == 1) point(kind, fields.bytes(), metric, why);
    }
  }

  // The point is read even when it is rejected: a malformed one spoils the request.
  void point(uint32_t kind, std::string_view message, const MetricContext& metric,
             std::string_view why) {
    if (kind == 9) return histogram_point(message, metric, why);
    if (kind == 10) return exponential_point(message, metric, why);
    if (kind == 11) return summary_point(message, metric, why);
    number_point(message, metric, why);
  }

  // The one point that is being read; its memory is used again.
  Point& new_point() {
    point_.attributes.clear();
    point_.unix_nano = 0;
    point_.flags = 0;
    return point_;
  }

  void number_point(std::string_view message, const MetricContext& metric, std::string_view why) {
    Point& point = new_point();
    std::optional<double> value;
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 3) point.unix_nano = fields.fixed64();
      if (number == 4) value = fields.float64();
      if (number == 6) value = static_cast<double>(fields.sfixed64());
      if (number == 7) point.attributes.push_back(fields.bytes());
      if (number == 8) point.flags = fields.varint();
    }
    if (!accept(point, metric, why, 1)) return;
    if (!value) return out_.reject(metric.given, "a data point without a value");
    add(metric, {.kind = metric.kind}, *value);
  }

  void histogram_point(std::string_view message, const MetricContext& metric,
                       std::string_view why) {
    Point& point = new_point();
    uint64_t count = 0;
    std::optional<double> sum;
    std::vector<uint64_t> counts;
    std::vector<double> bounds;
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 3) point.unix_nano = fields.fixed64();
      if (number == 4) count = fields.fixed64();
      if (number == 5) sum = fields.float64();
      if (number == 6) fields.append_fixed64(counts, options_.max_buckets);
      if (number == 7) fields.append_doubles(bounds, options_.max_buckets);
      if (number == 9) point.attributes.push_back(fields.bytes());
      if (number == 10) point.flags = fields.varint();
    }
    if (why.empty() && (point.flags & no_recorded_value) == 0) why = flaw(counts, bounds);
    std::vector<Bucket> buckets;
    for (size_t i = 0; i < bounds.size() && i < counts.size(); ++i) {
      buckets.push_back({bounds[i], counts[i]});
    }
    write_histogram(point, metric, why, {buckets, count, sum});
  }

  std::string_view flaw(const std::vector<uint64_t>& counts, const std::vector<double>& bounds) {
    if (counts.size() > options_.max_buckets || bounds.size() > options_.max_buckets) {
      return "more buckets than allowed";
    }
    if (counts.empty() ? !bounds.empty() : counts.size() != bounds.size() + 1) {
      return "the number of bucket counts does not fit the bounds";
    }
    for (size_t i = 0; i < bounds.size(); ++i) {
      if (std::isnan(bounds[i]) || (i > 0 && bounds[i] <= bounds[i - 1])) {
        return "bucket bounds that do not ascend";
      }
    }
    return {};
  }

  void exponential_point(std::string_view message, const MetricContext& metric,
                         std::string_view why) {
    Point& point = new_point();
    uint64_t count = 0;
    std::optional<double> sum;
    ExponentialHistogram histogram;
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 1) point.attributes.push_back(fields.bytes());
      if (number == 3) point.unix_nano = fields.fixed64();
      if (number == 4) count = fields.fixed64();
      if (number == 5) sum = fields.float64();
      if (number == 6) histogram.scale = fields.sint32();
      if (number == 7) histogram.zero_count = fields.fixed64();
      if (number == 8) histogram.positive = exponential_buckets(fields.bytes());
      if (number == 9) histogram.negative = exponential_buckets(fields.bytes());
      if (number == 10) point.flags = fields.varint();
      if (number == 14) histogram.zero_threshold = fields.float64();
    }
    std::vector<Bucket> buckets;
    if (why.empty() && (point.flags & no_recorded_value) == 0) {
      auto classic = classic_buckets(histogram);
      if (classic) {
        buckets = std::move(*classic);
      } else {
        why = "exponential histogram with a scale or buckets out of bounds";
      }
    }
    write_histogram(point, metric, why, {buckets, count, sum});
  }

  static ExponentialHistogram::Side exponential_buckets(std::string_view message) {
    ExponentialHistogram::Side side;
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 1) side.offset = fields.sint32();
      if (number == 2) fields.append_varints(side.counts, max_exponential_buckets_on_wire);
    }
    return side;
  }

  struct Histogram {
    const std::vector<Bucket>& buckets;  // ascending; counts not cumulative
    uint64_t count = 0;
    std::optional<double> sum;
  };

  void write_histogram(const Point& point, const MetricContext& metric, std::string_view why,
                       const Histogram& histogram) {
    if (!accept(point, metric, why, histogram.buckets.size() + 3)) return;
    const auto kind = metric.kind;
    const auto bucket = [&](double bound, uint64_t count) {
      add(metric, {.suffix = "_bucket", .label = "le", .bound = bound, .kind = kind},
          static_cast<double>(count));
    };
    uint64_t below = 0;
    for (const Bucket& each : histogram.buckets) {
      below += each.count;
      if (std::isinf(each.bound) && each.bound > 0) continue;  // +Inf comes below
      bucket(each.bound, below);
    }
    bucket(std::numeric_limits<double>::infinity(), histogram.count);
    if (histogram.sum) add(metric, {.suffix = "_sum", .kind = kind}, *histogram.sum);
    add(metric, {.suffix = "_count", .kind = kind}, static_cast<double>(histogram.count));
  }

  void summary_point(std::string_view message, const MetricContext& metric, std::string_view why) {
    Point& point = new_point();
    uint64_t count = 0;
    double sum = 0;
    std::vector<std::pair<double, double>> quantiles;
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 3) point.unix_nano = fields.fixed64();
      if (number == 4) count = fields.fixed64();
      if (number == 5) sum = fields.float64();
      if (number == 6) {
        std::pair<double, double> pair{};
        for (Fields part(fields.bytes()); part.next();) {
          const auto inner = part.number();
          if (inner == 1) pair.first = part.float64();
          if (inner == 2) pair.second = part.float64();
        }
        if (quantiles.size() <= options_.max_buckets) quantiles.push_back(pair);
      }
      if (number == 7) point.attributes.push_back(fields.bytes());
      if (number == 8) point.flags = fields.varint();
    }
    if (why.empty() && quantiles.size() > options_.max_buckets) why = "more quantiles than allowed";
    if (!accept(point, metric, why, quantiles.size() + 2)) return;
    for (const auto& [quantile, value] : quantiles) {
      add(metric, {.label = "quantile", .bound = quantile}, value);
    }
    add(metric, {.suffix = "_sum", .kind = metric.kind}, sum);
    add(metric, {.suffix = "_count", .kind = metric.kind}, static_cast<double>(count));
  }

  // False when the point is skipped or rejected; else its samples may be added.
  bool accept(const Point& point, const MetricContext& metric, std::string_view why,
              size_t n_samples) {
    if ((point.flags & no_recorded_value) != 0) return false;
    const auto time = time_from(point.unix_nano, options_.now_ns);
    if (why.empty() && point.attributes.size() > options_.max_labels) why = too_many_attributes;
    if (why.empty() && !time) why = bad_time;
    constexpr size_t bytes_per_sample = sizeof(void*) + sizeof(int64_t) + sizeof(double);
    if (why.empty() && !out_.afford(n_samples * bytes_per_sample)) why = too_much;
    if (!why.empty()) {
      out_.reject(metric.given, why);
      return false;
    }
    constexpr int64_t ns_per_ms = 1'000'000;
    timestamp_ms_ = *time / ns_per_ms;
    point_is_rejected_ = false;
    finder_.set_point(metric, point.attributes);
    return true;
  }

  // Of a histogram that finds no room for a series, the rest is left out: it counts once.
  void add(const MetricContext& metric, const Part& part, double value) {
    if (point_is_rejected_) return;
    const auto series = finder_.find(part);
    if (!series) {
      point_is_rejected_ = true;
      return out_.reject(metric.given, series.error().message);
    }
    out_.items().push_back(*series, timestamp_ms_, value);
  }

  Decoding<Points> out_;
  const DecodeOptions& options_;
  model::SeriesIndex& index_;
  SeriesFinder finder_;
  MetricResource resource_;
  uint64_t resource_hash_ = 0;
  Point point_;
  int64_t timestamp_ms_ = 0;
  bool point_is_rejected_ = false;
};

}  // namespace

Result<Decoded<Points>> decode_metrics(std::string_view body, Encoding encoding,
                                       const DecodeOptions& options, model::SeriesIndex& index) {
  std::string converted;
  if (encoding == Encoding::json) {
    converted = TRY(protobuf_from_json(body, Signal::metrics, options.max_json_depth));
    body = converted;
  }
  return decode_guarded("metrics", [&] { return MetricsDecoder(options, index).decode(body); });
}

}  // namespace auscult::wire
