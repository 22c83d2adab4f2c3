// Metrics: ExportMetricsServiceRequest -> Samples.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include "wire/otlp.h"
#include "wire/otlp_buckets.h"
#include "wire/otlp_fields.h"
#include "wire/otlp_json.h"
#include "wire/otlp_labels.h"
#include "wire/otlp_names.h"
#include "wire/otlp_values.h"

namespace auscult::wire {
namespace {

using model::Labels;
using model::MetricKind;
using model::Sample;
using model::Samples;

constexpr uint64_t no_recorded_value = 1;  // bit of DataPointFlags
constexpr uint64_t delta = 1;              // AggregationTemporality
constexpr uint64_t cumulative = 2;

std::string bound_text(double bound) {
  if (std::isinf(bound)) return bound > 0 ? "+Inf" : "-Inf";
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), bound).ptr};
}

// One metric: what its points share.
struct Series {
  std::string name;        // in Prometheus form
  std::string_view given;  // as sent, for messages
  MetricKind kind = MetricKind::gauge;
  bool is_delta = false;
};

// What every kind of data point has.
struct Point {
  Labels labels;
  uint64_t unix_nano = 0;
  uint64_t flags = 0;
};

class MetricsDecoder {
 public:
  explicit MetricsDecoder(const DecodeOptions& options) : out_(options), options_(options) {}

  Decoded<Samples> decode(std::string_view request) {
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
    Series series;
    series.given = name;
    series.is_delta = temporality == delta;
    series.kind = kind == gauge || (kind == sum && !monotonic) || series.is_delta
                      ? MetricKind::gauge
                      : MetricKind::counter;
    const bool keep_name = name_is_final && is_metric_name(name);
    if (name.size() <= options_.max_label_bytes) {
      series.name = keep_name ? std::string(name) : metric_name(name, unit, named_as);
    }
    const bool has_temporality = kind != gauge && kind != summary;
    std::string_view why;
    if (series.name.empty()) {
      why = "no metric name that Prometheus could write";
    } else if (has_temporality && series.is_delta && !options_.keep_delta) {
      why = "delta temporality is not supported, export cumulative values";
    } else if (has_temporality && !series.is_delta && temporality != cumulative) {
      why = "no aggregation temporality";
    }
    for (Fields fields(data); fields.next();) {
      const auto number = fields.number();
      if (number == 1) point(kind, fields.bytes(), series, why);
    }
  }

  // The point is read even when it is rejected: a malformed one spoils the request.
  void point(uint32_t kind, std::string_view message, const Series& series, std::string_view why) {
    if (kind == 9) return histogram_point(message, series, why);
    if (kind == 10) return exponential_point(message, series, why);
    if (kind == 11) return summary_point(message, series, why);
    number_point(message, series, why);
  }

  void attribute(Point& point, std::string_view key_value) {
    append_attribute(point.labels, key_value, options_.max_label_bytes);
  }

  void number_point(std::string_view message, const Series& series, std::string_view why) {
    Point point;
    std::optional<double> value;
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 3) point.unix_nano = fields.fixed64();
      if (number == 4) value = fields.float64();
      if (number == 6) value = static_cast<double>(fields.sfixed64());
      if (number == 7) attribute(point, fields.bytes());
      if (number == 8) point.flags = fields.varint();
    }
    auto base = base_of(std::move(point), series, why, 1);
    if (!base) return;
    if (!value) return out_.reject(series.given, "a data point without a value");
    base->value = *value;
    base->kind = series.kind;
    base->metric = series.name;
    out_.items().push_back(std::move(*base));
  }

  void histogram_point(std::string_view message, const Series& series, std::string_view why) {
    Point point;
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
      if (number == 9) attribute(point, fields.bytes());
      if (number == 10) point.flags = fields.varint();
    }
    if (why.empty() && (point.flags & no_recorded_value) == 0) why = flaw(counts, bounds);
    std::vector<Bucket> buckets;
    for (size_t i = 0; i < bounds.size() && i < counts.size(); ++i) {
      buckets.push_back({bounds[i], counts[i]});
    }
    write_histogram(std::move(point), series, why, {buckets, count, sum});
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

  void exponential_point(std::string_view message, const Series& series, std::string_view why) {
    Point point;
    uint64_t count = 0;
    std::optional<double> sum;
    ExponentialHistogram histogram;
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 1) attribute(point, fields.bytes());
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
    write_histogram(std::move(point), series, why, {buckets, count, sum});
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

  void write_histogram(Point point, const Series& series, std::string_view why,
                       const Histogram& histogram) {
    const auto base = base_of(std::move(point), series, why, histogram.buckets.size() + 3);
    if (!base) return;
    uint64_t below = 0;
    for (const Bucket& bucket : histogram.buckets) {
      below += bucket.count;
      if (std::isinf(bucket.bound) && bucket.bound > 0) continue;  // +Inf comes below
      add(*base, series, "_bucket", static_cast<double>(below), {"le", bound_text(bucket.bound)});
    }
    const auto count = static_cast<double>(histogram.count);
    add(*base, series, "_bucket", count, {"le", "+Inf"});
    if (histogram.sum) add(*base, series, "_sum", *histogram.sum);
    add(*base, series, "_count", count);
  }

  void summary_point(std::string_view message, const Series& series, std::string_view why) {
    Point point;
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
      if (number == 7) attribute(point, fields.bytes());
      if (number == 8) point.flags = fields.varint();
    }
    if (why.empty() && quantiles.size() > options_.max_buckets) why = "more quantiles than allowed";
    const auto base = base_of(std::move(point), series, why, quantiles.size() + 2);
    if (!base) return;
    for (const auto& [quantile, value] : quantiles) {
      add(*base, series, "", value, {"quantile", bound_text(quantile)});
      out_.items().back().kind = MetricKind::gauge;
    }
    add(*base, series, "_sum", sum);
    add(*base, series, "_count", static_cast<double>(count));
  }

  // Labels, tags and time of a point's series, or nothing when it is skipped or rejected.
  std::optional<Sample> base_of(Point point, const Series& series, std::string_view why,
                                size_t n_samples) {
    if ((point.flags & no_recorded_value) != 0) return {};
    const auto time = time_from(point.unix_nano, options_.now_ns);
    if (why.empty() && point.labels.size() > options_.max_labels) why = too_many_attributes;
    if (why.empty() && !time) why = bad_time;
    if (!why.empty()) {
      out_.reject(series.given, why);
      return {};
    }
    Sample base;
    base.timestamp_ns = *time;
    base.labels = std::move(point.labels);
    if (!std::is_sorted(base.labels.begin(), base.labels.end())) model::normalise(base.labels);
    base.tags = model::merged(take_metric_tags(base.labels), resource_.tags);
    to_prometheus(base.labels);
    for (const auto& [name, value] : resource_.labels) {
      set_label(base.labels, name, value, false);
    }
    if (series.is_delta) set_label(base.labels, "otel_temporality", "delta", true);
    const size_t bytes =
        sizeof(Sample) + series.name.size() + bytes_of(base.labels) + bytes_of(base.tags);
    if (!out_.afford(bytes * n_samples)) {
      out_.reject(series.given, too_much);
      return {};
    }
    return base;
  }

  struct ExtraLabel {
    std::string_view name;
    std::string value;
  };

  void add(const Sample& base, const Series& series, std::string_view suffix, double value,
           const ExtraLabel& label = {}) {
    Sample& sample = out_.items().emplace_back(base);
    sample.metric = series.name;
    sample.metric += suffix;
    if (!label.name.empty()) set_label(sample.labels, label.name, label.value, true);
    sample.value = value;
    sample.kind = series.kind;
  }

  Decoding<Samples> out_;
  const DecodeOptions& options_;
  MetricResource resource_;
};

}  // namespace

Result<Decoded<Samples>> decode_metrics(std::string_view body, Encoding encoding,
                                        const DecodeOptions& options) {
  std::string converted;
  if (encoding == Encoding::json) {
    converted = TRY(protobuf_from_json(body, Signal::metrics, options.max_json_depth));
    body = converted;
  }
  return decode_guarded("metrics", [&] { return MetricsDecoder(options).decode(body); });
}

}  // namespace auscult::wire
