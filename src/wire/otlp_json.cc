#include "wire/otlp_json.h"

#include <simdjson.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <protozero/pbf_writer.hpp>
#include <span>

#include "base/text.h"
#include "wire/otlp_fields.h"

namespace auscult::wire {
namespace {

using simdjson::dom::element;

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

[[noreturn]] void wrong(const Field& field, std::string_view wanted) {
  throw Malformed("'" + std::string(field.name) + "' must be " + std::string(wanted));
}

std::string_view text_of(const Field& field, element value) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) wrong(field, "a string");
  return text;
}

// Integers come as numbers, as strings, and from some encoders as 1e3.
template <typename T>
T integer_of(const Field& field, element value) {
  std::string_view text;
  std::optional<int64_t> negative;
  std::optional<uint64_t> positive;
  int64_t i = 0;
  uint64_t u = 0;
  double d = 0;
  constexpr double exact = 9007199254740992.0;  // 2^53: above, a double is not one integer
  if (value.get(text) == simdjson::SUCCESS) {
    positive = to_uint(text);
    if (!positive) negative = to_int(text);
  } else if (value.get(u) == simdjson::SUCCESS) {
    positive = u;
  } else if (value.get(i) == simdjson::SUCCESS) {
    negative = i;
  } else if (value.get(d) == simdjson::SUCCESS && std::trunc(d) == d && std::abs(d) <= exact) {
    negative = static_cast<int64_t>(d);
  }
  if (negative && *negative >= 0) positive = static_cast<uint64_t>(*negative);
  if (positive && *positive <= static_cast<uint64_t>(std::numeric_limits<T>::max())) {
    return static_cast<T>(*positive);
  }
  if (std::is_signed_v<T> && !positive && negative &&
      *negative >= static_cast<int64_t>(std::numeric_limits<T>::min())) {
    return static_cast<T>(*negative);
  }
  wrong(field, std::is_signed_v<T>
                   ? "a signed integer of " + std::to_string(sizeof(T) * 8) + " bits"
                   : "an unsigned integer of " + std::to_string(sizeof(T) * 8) + " bits");
}

double double_of(const Field& field, element value) {
  double number = 0;
  if (value.is_number() && value.get(number) == simdjson::SUCCESS) return number;
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) wrong(field, "a number");
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  const auto parsed = to_double(text);
  if (!parsed || !std::isfinite(*parsed)) wrong(field, "a number");
  return *parsed;
}

int digit_of(std::string_view alphabet, char c) {
  const auto at = alphabet.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

std::string bytes_from_hex(const Field& field, std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string bytes;
  const auto value = [&](char c) {
    return digit_of(digits, c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
  };
  if (text.size() % 2 != 0) wrong(field, "an even number of hexadecimal digits");
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = value(text[i]);
    const int low = value(text[i + 1]);
    if (high < 0 || low < 0) wrong(field, "hexadecimal");
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

// Both alphabets, with or without padding, as protobuf's JSON mapping allows.
std::string bytes_from_base64(const Field& field, std::string_view text) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  uint32_t bits = 0;
  unsigned n_bits = 0;
  for (const char c : text) {
    const int value = digit_of(digits, c == '-' ? '+' : c == '_' ? '/' : c);
    if (value < 0) wrong(field, "base64");
    bits = (bits << 6U | static_cast<uint32_t>(value)) & 0xffffU;
    n_bits += 6;
    if (n_bits >= 8) {
      n_bits -= 8;
      bytes += static_cast<char>(bits >> n_bits & 0xffU);
    }
  }
  if (text.size() % 4 == 1) wrong(field, "base64");
  return bytes;
}

// The bytes written so far, and the writer of the message that is open.
struct Output {
  std::string& bytes;
  protozero::pbf_writer& writer;
};

void write_message(const Output& output, Shape shape, simdjson::dom::object object);

void write_value(const Output& output, const Field& field, element value) {
  auto& out = output.writer;
  const auto number = field.number;
  switch (field.type) {
    case Type::text:
      return out.add_string(number, text_of(field, value).data(), text_of(field, value).size());
    case Type::hex:
      return out.add_bytes(number, bytes_from_hex(field, text_of(field, value)));
    case Type::base64:
      return out.add_bytes(number, bytes_from_base64(field, text_of(field, value)));
    case Type::boolean: {
      bool boolean = false;
      if (value.get(boolean) != simdjson::SUCCESS) wrong(field, "true or false");
      return out.add_bool(number, boolean);
    }
    case Type::enumeration:
      return out.add_enum(number, integer_of<int32_t>(field, value));
    case Type::uint32:
      return out.add_uint32(number, integer_of<uint32_t>(field, value));
    case Type::sint32:
      return out.add_sint32(number, integer_of<int32_t>(field, value));
    case Type::int64:
      return out.add_int64(number, integer_of<int64_t>(field, value));
    case Type::uint64:
      return out.add_uint64(number, integer_of<uint64_t>(field, value));
    case Type::fixed32:
      return out.add_fixed32(number, integer_of<uint32_t>(field, value));
    case Type::fixed64:
      return out.add_fixed64(number, integer_of<uint64_t>(field, value));
    case Type::sfixed64:
      return out.add_sfixed64(number, integer_of<int64_t>(field, value));
    case Type::float64:
      return out.add_double(number, double_of(field, value));
    case Type::message: {
      simdjson::dom::object object;
      if (value.get(object) != simdjson::SUCCESS) wrong(field, "an object");
      const size_t before = output.bytes.size();
      {
        protozero::pbf_writer inner(out, number);
        write_message({output.bytes, inner}, field.shape, object);
      }
      // protozero leaves an empty message out, but an empty log record is still one.
      if (output.bytes.size() == before) out.add_message(number, "", 0);
      return;
    }
  }
}

// As deep as the JSON text, which the parser has bounded.
void write_message(const Output& output, Shape shape, simdjson::dom::object object) {
  for (const auto member : object) {
    for (const Field& field : fields_of(shape)) {
      if (field.name != member.key) continue;
      if (member.value.is_null()) break;
      if (!field.repeated) {
        write_value(output, field, member.value);
        break;
      }
      simdjson::dom::array array;
      if (member.value.get(array) != simdjson::SUCCESS) wrong(field, "an array");
      for (const element value : array) write_value(output, field, value);
      break;
    }
  }
}

Shape request_of(Signal signal) {
  switch (signal) {
    case Signal::metrics:
      return Shape::metrics_request;
    case Signal::logs:
      return Shape::logs_request;
    case Signal::traces:
      return Shape::traces_request;
  }
  return Shape::none;
}

}  // namespace

Result<std::string> protobuf_from_json(std::string_view json, Signal signal, size_t max_depth) {
  simdjson::dom::parser parser;
  if (parser.allocate(json.size(), max_depth) != simdjson::SUCCESS) {
    return Error{ErrorCode::unavailable, "JSON: out of memory"};
  }
  element root;
  auto code = parser.parse(json.data(), json.size()).get(root);
  if (code == simdjson::UTF8_ERROR) {
    const std::string valid = valid_utf8(json);
    if (parser.allocate(valid.size(), max_depth) != simdjson::SUCCESS) {
      return Error{ErrorCode::unavailable, "JSON: out of memory"};
    }
    code = parser.parse(valid).get(root);
  }
  if (code == simdjson::DEPTH_ERROR) {
    return Error{ErrorCode::invalid_input,
                 "JSON nested deeper than " + std::to_string(max_depth) + " levels"};
  }
  if (code != simdjson::SUCCESS) {
    return Error{ErrorCode::invalid_input,
                 std::string("invalid JSON: ") + simdjson::error_message(code)};
  }
  simdjson::dom::object object;
  if (root.get(object) != simdjson::SUCCESS) {
    return Error{ErrorCode::invalid_input, "the request must be a JSON object"};
  }
  std::string out;
  try {
    protozero::pbf_writer writer(out);
    write_message({out, writer}, request_of(signal), object);
  } catch (const Malformed& malformed) {
    return Error{ErrorCode::invalid_input, malformed.what()};
  }
  return out;
}

}  // namespace auscult::wire
