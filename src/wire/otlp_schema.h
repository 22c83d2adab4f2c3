// The schema of OTLP requests: which JSON key is which protobuf field, of what type.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace auscult::wire {

// The types of opentelemetry-proto's fields, as they are written in JSON.
enum class Type : uint8_t {
  text,
  hex,     // bytes, as OTLP writes ids
  base64,  // bytes, as protobuf's JSON mapping writes the others
  boolean,
  enumeration,
  uint32,
  sint32,
  int64,
  uint64,
  fixed32,
  fixed64,
  sfixed64,
  float64,
  message,
};

// The messages.
enum class Shape : uint8_t {
  none,
  metrics_request,
  resource_metrics,
  scope_metrics,
  metric,
  gauge,
  sum,
  histogram,
  exponential_histogram,
  summary,
  number_point,
  histogram_point,
  exponential_point,
  buckets,
  summary_point,
  quantile,
  logs_request,
  resource_logs,
  scope_logs,
  log_record,
  traces_request,
  resource_spans,
  scope_spans,
  span,
  status,
  resource,
  scope,
  key_value,
  any_value,
  array_value,
  key_value_list,
};

// One field of a message. What is not here (exemplars, span events and links, ...) is ignored, as
// the decoder ignores it in protobuf.
struct Field {
  std::string_view name;
  uint32_t number;
  Type type;
  Shape shape = Shape::none;
  bool repeated = false;
};

std::span<const Field> fields_of(Shape shape);

}  // namespace auscult::wire
