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
};

// A malformed request (truncated protobuf, wrong types, invalid JSON) is invalid_input and nothing
// of it is used. Names are mapped as OpenTelemetry-to-Prometheus does it; a metric name already in
// Prometheus form stays as it is. Histograms and summaries become their classic series. Invalid
// UTF-8 becomes U+FFFD.
Result<Decoded<model::Samples>> decode_metrics(std::string_view body, Encoding encoding,
                                               const DecodeOptions& options);
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

// Body of a 4xx or 5xx: google.rpc.Status with the gRPC code that fits the HTTP status.
std::string encode_error(Encoding encoding, int http_status, std::string_view message);

}  // namespace auscult::wire
