#include "wire/otlp_schema.h"

namespace auscult::wire {
namespace {

constexpr Field many(std::string_view name, uint32_t number, Shape shape) {
  return {name, number, Type::message, shape, true};
}
constexpr Field one(std::string_view name, uint32_t number, Shape shape) {
  return {name, number, Type::message, shape, false};
}
constexpr Field numbers(std::string_view name, uint32_t number, Type type) {
  return {name, number, type, Shape::none, true};
}

// Numbers and types are those of opentelemetry/proto/*/v1/*.proto, release 1.x.
constexpr Field metrics_request[] = {many("resourceMetrics", 1, Shape::resource_metrics)};
constexpr Field resource_metrics[] = {one("resource", 1, Shape::resource),
                                      many("scopeMetrics", 2, Shape::scope_metrics)};
constexpr Field scope_metrics[] = {one("scope", 1, Shape::scope),
                                   many("metrics", 2, Shape::metric)};
constexpr Field metric[] = {{"name", 1, Type::text},
                            {"unit", 3, Type::text},
                            one("gauge", 5, Shape::gauge),
                            one("sum", 7, Shape::sum),
                            one("histogram", 9, Shape::histogram),
                            one("exponentialHistogram", 10, Shape::exponential_histogram),
                            one("summary", 11, Shape::summary),
                            many("metadata", 12, Shape::key_value)};
constexpr Field gauge[] = {many("dataPoints", 1, Shape::number_point)};
constexpr Field sum[] = {many("dataPoints", 1, Shape::number_point),
                         {"aggregationTemporality", 2, Type::enumeration},
                         {"isMonotonic", 3, Type::boolean}};
constexpr Field histogram[] = {many("dataPoints", 1, Shape::histogram_point),
                               {"aggregationTemporality", 2, Type::enumeration}};
constexpr Field exponential_histogram[] = {many("dataPoints", 1, Shape::exponential_point),
                                           {"aggregationTemporality", 2, Type::enumeration}};
constexpr Field summary[] = {many("dataPoints", 1, Shape::summary_point)};
constexpr Field number_point[] = {
    {"startTimeUnixNano", 2, Type::fixed64}, {"timeUnixNano", 3, Type::fixed64},
    {"asDouble", 4, Type::float64},          {"asInt", 6, Type::sfixed64},
    many("attributes", 7, Shape::key_value), {"flags", 8, Type::uint32}};
constexpr Field histogram_point[] = {{"startTimeUnixNano", 2, Type::fixed64},
                                     {"timeUnixNano", 3, Type::fixed64},
                                     {"count", 4, Type::fixed64},
                                     {"sum", 5, Type::float64},
                                     numbers("bucketCounts", 6, Type::fixed64),
                                     numbers("explicitBounds", 7, Type::float64),
                                     many("attributes", 9, Shape::key_value),
                                     {"flags", 10, Type::uint32},
                                     {"min", 11, Type::float64},
                                     {"max", 12, Type::float64}};
constexpr Field exponential_point[] = {many("attributes", 1, Shape::key_value),
                                       {"startTimeUnixNano", 2, Type::fixed64},
                                       {"timeUnixNano", 3, Type::fixed64},
                                       {"count", 4, Type::fixed64},
                                       {"sum", 5, Type::float64},
                                       {"scale", 6, Type::sint32},
                                       {"zeroCount", 7, Type::fixed64},
                                       one("positive", 8, Shape::buckets),
                                       one("negative", 9, Shape::buckets),
                                       {"flags", 10, Type::uint32},
                                       {"min", 12, Type::float64},
                                       {"max", 13, Type::float64},
                                       {"zeroThreshold", 14, Type::float64}};
constexpr Field buckets[] = {{"offset", 1, Type::sint32}, numbers("bucketCounts", 2, Type::uint64)};
constexpr Field summary_point[] = {{"startTimeUnixNano", 2, Type::fixed64},
                                   {"timeUnixNano", 3, Type::fixed64},
                                   {"count", 4, Type::fixed64},
                                   {"sum", 5, Type::float64},
                                   many("quantileValues", 6, Shape::quantile),
                                   many("attributes", 7, Shape::key_value),
                                   {"flags", 8, Type::uint32}};
constexpr Field quantile[] = {{"quantile", 1, Type::float64}, {"value", 2, Type::float64}};

constexpr Field logs_request[] = {many("resourceLogs", 1, Shape::resource_logs)};
constexpr Field resource_logs[] = {one("resource", 1, Shape::resource),
                                   many("scopeLogs", 2, Shape::scope_logs)};
constexpr Field scope_logs[] = {one("scope", 1, Shape::scope),
                                many("logRecords", 2, Shape::log_record)};
constexpr Field log_record[] = {{"timeUnixNano", 1, Type::fixed64},
                                {"severityNumber", 2, Type::enumeration},
                                {"severityText", 3, Type::text},
                                one("body", 5, Shape::any_value),
                                many("attributes", 6, Shape::key_value),
                                {"droppedAttributesCount", 7, Type::uint32},
                                {"flags", 8, Type::fixed32},
                                {"traceId", 9, Type::hex},
                                {"spanId", 10, Type::hex},
                                {"observedTimeUnixNano", 11, Type::fixed64},
                                {"eventName", 12, Type::text}};

constexpr Field traces_request[] = {many("resourceSpans", 1, Shape::resource_spans)};
constexpr Field resource_spans[] = {one("resource", 1, Shape::resource),
                                    many("scopeSpans", 2, Shape::scope_spans)};
constexpr Field scope_spans[] = {one("scope", 1, Shape::scope), many("spans", 2, Shape::span)};
constexpr Field span_fields[] = {{"traceId", 1, Type::hex},
                                 {"spanId", 2, Type::hex},
                                 {"traceState", 3, Type::text},
                                 {"parentSpanId", 4, Type::hex},
                                 {"name", 5, Type::text},
                                 {"kind", 6, Type::enumeration},
                                 {"startTimeUnixNano", 7, Type::fixed64},
                                 {"endTimeUnixNano", 8, Type::fixed64},
                                 many("attributes", 9, Shape::key_value),
                                 {"droppedAttributesCount", 10, Type::uint32},
                                 one("status", 15, Shape::status),
                                 {"flags", 16, Type::fixed32}};
constexpr Field status[] = {{"message", 2, Type::text}, {"code", 3, Type::enumeration}};

constexpr Field resource[] = {many("attributes", 1, Shape::key_value)};
constexpr Field scope[] = {
    {"name", 1, Type::text}, {"version", 2, Type::text}, many("attributes", 3, Shape::key_value)};
constexpr Field key_value[] = {{"key", 1, Type::text}, one("value", 2, Shape::any_value)};
constexpr Field any_value[] = {{"stringValue", 1, Type::text},
                               {"boolValue", 2, Type::boolean},
                               {"intValue", 3, Type::int64},
                               {"doubleValue", 4, Type::float64},
                               one("arrayValue", 5, Shape::array_value),
                               one("kvlistValue", 6, Shape::key_value_list),
                               {"bytesValue", 7, Type::base64}};
constexpr Field array_value[] = {many("values", 1, Shape::any_value)};
constexpr Field key_value_list[] = {many("values", 1, Shape::key_value)};

}  // namespace

std::span<const Field> fields_of(Shape shape) {
  switch (shape) {
#define AUSCULT_SHAPE(name) \
  case Shape::name:         \
    return name
    AUSCULT_SHAPE(metrics_request);
    AUSCULT_SHAPE(resource_metrics);
    AUSCULT_SHAPE(scope_metrics);
    AUSCULT_SHAPE(metric);
    AUSCULT_SHAPE(gauge);
    AUSCULT_SHAPE(sum);
    AUSCULT_SHAPE(histogram);
    AUSCULT_SHAPE(exponential_histogram);
    AUSCULT_SHAPE(summary);
    AUSCULT_SHAPE(number_point);
    AUSCULT_SHAPE(histogram_point);
    AUSCULT_SHAPE(exponential_point);
    AUSCULT_SHAPE(buckets);
    AUSCULT_SHAPE(summary_point);
    AUSCULT_SHAPE(quantile);
    AUSCULT_SHAPE(logs_request);
    AUSCULT_SHAPE(resource_logs);
    AUSCULT_SHAPE(scope_logs);
    AUSCULT_SHAPE(log_record);
    AUSCULT_SHAPE(traces_request);
    AUSCULT_SHAPE(resource_spans);
    AUSCULT_SHAPE(scope_spans);
    AUSCULT_SHAPE(status);
    AUSCULT_SHAPE(resource);
    AUSCULT_SHAPE(scope);
    AUSCULT_SHAPE(key_value);
    AUSCULT_SHAPE(any_value);
    AUSCULT_SHAPE(array_value);
    AUSCULT_SHAPE(key_value_list);
#undef AUSCULT_SHAPE
    case Shape::span:
      return span_fields;
    case Shape::none:
      return {};
  }
  return {};
}

}  // namespace auscult::wire
