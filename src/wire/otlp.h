// OTLP/HTTP: bytes <-> model, protobuf and JSON. Source: opentelemetry-proto 1.x and the OTLP spec.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/log_record.h"
#include "model/sample.h"
#include "model/series.h"
#include "model/span.h"

namespace auscult::wire {

enum class Encoding : uint8_t { protobuf, json };

// What a request held. `rejected` counts data points, records or spans that were well-formed on the
// wire but cannot be stored; `message` says why for the first of them (OTLP partial success).
template <typename T>
struct Decoded {
  T items;
  uint64_t rejected = 0;
  std::string message;
};

struct DecodeOptions {
  int64_t now_ns = 0;  // for records without a time, and as observed time
  size_t max_json_depth = 100;
  size_t max_label_bytes = 4096;          // a longer attribute value is cut, at a UTF-8 boundary
  size_t max_labels = 64;                 // a data point with more attributes is rejected
  size_t max_log_body_bytes = 1U << 20U;  // a longer body is cut
  // What the items of one request may hold: resource attributes are repeated on every record, so a
  // small request could unfold without end. Items beyond are rejected.
  size_t max_decoded_bytes = size_t{512} << 20U;
  size_t max_buckets = 1000;  // a histogram or summary with more is rejected
  // Sums and histograms of delta temporality: rejected, or kept as gauges with the label
  // otel_temporality="delta", since adding them up needs the points before.
  bool keep_delta = false;
};

// A malformed request (truncated protobuf, wrong types, invalid JSON, attribute values nested
// deeper than 32) is invalid_input and nothing of it is used. Invalid UTF-8 becomes U+FFFD.
// Attributes that mean one of the six tags become tags, those of the point, record or span before
// those of its resource. Other values than text become text: arrays and lists as JSON, bytes as
// base64. A time of 0 becomes now_ns; one beyond the year 2261 is rejected.
//
// Metrics. Names are mapped as OpenTelemetry-to-Prometheus does it (see otlp_names.h); of the scope
// "auscult", and where the metric's metadata say prometheus.type, a valid name stays as it is.
// Of the resource, service.name (after "service.namespace/") becomes the label `job` and
// service.instance.id the label `instance`; "host:port" there also gives the node_id when nothing
// else does. An attribute `instance` stays a label beside the node_id it means: its port tells the
// servers of one node apart. Other attributes of resource and scope are not copied. Labels with
// empty values are left out; labels whose names become equal are joined by ";".
// Histograms become _bucket{le} (cumulative), _sum and _count; summaries {quantile}, _sum, _count.
// Exponential histograms become classic ones: neighbours are merged until at most 160 buckets are
// left on each side of zero. Points with the flag "no recorded value" are skipped. Integers are
// exact up to 2^53. Times are cut to milliseconds. Exemplars, min and max are skipped.
//
// Logs. Attributes are those of the resource, the scope (with otel.scope.name, otel.scope.version)
// and the record, the last winning, and event.name and severity_text where given. `source` is
// log.source (which leaves the attributes), else log.file.name, else service.name. A record without
// a time has that of its observation. A wrong trace or span id is left out.
//
// Traces. Attributes as in logs, and w3c.tracestate. Events and links are skipped. A span that ends
// before it starts or has a wrong id is rejected.
Result<Decoded<model::Points>> decode_metrics(std::string_view body, Encoding encoding,
                                              const DecodeOptions& options,
                                              model::SeriesIndex& index);
Result<Decoded<model::LogRecords>> decode_logs(std::string_view body, Encoding encoding,
                                               const DecodeOptions& options);
Result<Decoded<model::Spans>> decode_traces(std::string_view body, Encoding encoding,
                                            const DecodeOptions& options);

// An ExportMetricsServiceRequest / ExportLogsServiceRequest in protobuf. The six tags go out as
// attributes under their own names; one resource, one scope "auscult".
std::string encode_metrics(std::span<const model::Sample> samples);
std::string encode_logs(std::span<const model::LogRecord> records);

enum class Signal : uint8_t { metrics, logs, traces };

// Body of a 200: Export<Signal>ServiceResponse, with partial_success when something was rejected.
std::string encode_success(Signal signal, Encoding encoding, uint64_t rejected,
                           std::string_view message);

// What such a body, in protobuf, says. invalid_input: it is none.
struct Success {
  uint64_t rejected = 0;
  std::string message;
};
Result<Success> decode_success(std::string_view body);

// Body of a 4xx or 5xx: google.rpc.Status with the gRPC code that fits the HTTP status.
std::string encode_error(Encoding encoding, int http_status, std::string_view message);

}  // namespace auscult::wire
