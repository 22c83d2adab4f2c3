#include "wire/otlp_json.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "wire/testing_otlp.h"

namespace auscult::wire {
namespace {

std::string error_of(std::string_view json, Signal signal = Signal::metrics) {
  const auto result = protobuf_from_json(json, signal, 100);
  EXPECT_FALSE(result) << json;
  if (result) return {};
  EXPECT_EQ(result.error().code, ErrorCode::invalid_input) << json;
  return result.error().message;
}

std::string point(std::string_view members) {
  return metric_json(R"("name":"g","gauge":{"dataPoints":[{)" + std::string(members) + "}]}");
}

std::string log_body(std::string_view value) {
  return R"({"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":)" + std::string(value) +
         "}]}]}]}";
}

std::string body_text(std::string_view value) {
  const auto decoded = decode_logs(log_body(value), Encoding::json, test_options());
  EXPECT_TRUE(decoded) << decoded.error().message << " " << value;
  return decoded ? decoded->items.at(0).body : "";
}

TEST(OtlpJson, the_same_request_in_both_encodings_means_the_same) {
  const std::string json = metric_json(
      R"("name":"h","unit":"s","histogram":{"aggregationTemporality":2,"dataPoints":[
        {"timeUnixNano":"1700000000123456789","count":"6","sum":9.5,"bucketCounts":["1","2","3"],
         "explicitBounds":[0.5,2]}]})");
  const auto decoded = metrics_of(json, Encoding::json);
  EXPECT_EQ(text_of(decoded),
            "# TYPE h_seconds_bucket counter\nh_seconds_bucket{le=\"+Inf\"} 6\n"
            "h_seconds_bucket{le=\"0.5\"} 1\nh_seconds_bucket{le=\"2\"} 3\n"
            "# TYPE h_seconds_count counter\nh_seconds_count 6\n"
            "# TYPE h_seconds_sum counter\nh_seconds_sum 9.5\n");
}

TEST(OtlpJson, integers_come_as_strings_numbers_and_whole_doubles) {
  for (const char* five : {"5", "\"5\"", "5.0", "5e0"}) {
    EXPECT_EQ(
        metrics_of(point(R"("asInt":)" + std::string(five)), Encoding::json).items.at(0).value, 5)
        << five;
  }
}

TEST(OtlpJson, every_kind_of_value_becomes_text) {
  EXPECT_EQ(body_text(R"({"stringValue":"a\"b"})"), "a\"b");
  EXPECT_EQ(body_text(R"({"boolValue":false})"), "false");
  EXPECT_EQ(body_text(R"({"intValue":"-9223372036854775808"})"), "-9223372036854775808");
  EXPECT_EQ(body_text(R"({"doubleValue":637.704})"), "637.704");
  EXPECT_EQ(body_text(R"({"doubleValue":"NaN"})"), "NaN");
  EXPECT_EQ(body_text(R"({"bytesValue":"aGVsbG8="})"), "aGVsbG8=");
  EXPECT_EQ(body_text(R"({"bytesValue":"_-8"})"), "/+8=");
  EXPECT_EQ(body_text(R"({})"), "");
  EXPECT_EQ(body_text(R"({"arrayValue":{}})"), "[]");
  EXPECT_EQ(body_text(R"({"arrayValue":{"values":[{},{"boolValue":true},{"doubleValue":"NaN"}]}})"),
            R"([null,true,"NaN"])");
  EXPECT_EQ(body_text(R"({"kvlistValue":{"values":[{"key":"k","value":{"stringValue":"v"}},
                                                   {"key":"e"}]}})"),
            R"({"k":"v","e":null})");
}

TEST(OtlpJson, unknown_keys_and_null_are_ignored) {
  EXPECT_EQ(metrics_of(point(R"("asInt":1,"exemplars":[{"x":[1,{"y":null}]}],"as_double":7,
                                "attributes":null,"flags":null)"),
                       Encoding::json)
                .items.at(0)
                .value,
            1);
}

TEST(OtlpJson, of_a_repeated_key_the_last_counts) {
  EXPECT_EQ(metrics_of(point(R"("asInt":1,"asInt":2)"), Encoding::json).items.at(0).value, 2);
}

TEST(OtlpJson, a_wrong_type_names_its_key) {
  EXPECT_EQ(error_of(point(R"("asInt":"x")")), "'asInt' must be a signed integer of 64 bits");
  EXPECT_EQ(error_of(point(R"("asInt":1.5)")), "'asInt' must be a signed integer of 64 bits");
  EXPECT_EQ(error_of(point(R"("timeUnixNano":-1)")),
            "'timeUnixNano' must be an unsigned integer of 64 bits");
  EXPECT_EQ(error_of(point(R"("timeUnixNano":"")")),
            "'timeUnixNano' must be an unsigned integer of 64 bits");
  EXPECT_EQ(error_of(point(R"("asDouble":true)")), "'asDouble' must be a number");
  EXPECT_EQ(error_of(point(R"("attributes":{})")), "'attributes' must be an array");
  EXPECT_EQ(error_of(point(R"("attributes":[null])")), "'attributes' must be an object");
  EXPECT_EQ(error_of(point(R"("attributes":[{"key":1}])")), "'key' must be a string");
  EXPECT_EQ(error_of(metric_json(R"("gauge":[])")), "'gauge' must be an object");
  EXPECT_EQ(error_of(metric_json(R"("sum":{"isMonotonic":"true"})")),
            "'isMonotonic' must be true or false");
  EXPECT_EQ(error_of(metric_json(R"("sum":{"aggregationTemporality":"CUMULATIVE"})")),
            "'aggregationTemporality' must be a signed integer of 32 bits");
  EXPECT_EQ(error_of(log_body(R"({"bytesValue":"a"})"), Signal::logs),
            "'bytesValue' must be base64");
  EXPECT_EQ(error_of(R"({"resourceLogs":[{"scopeLogs":[{"logRecords":[{"traceId":"xy"}]}]}]})",
                     Signal::logs),
            "'traceId' must be hexadecimal");
}

TEST(OtlpJson, what_is_no_json_object_is_an_error) {
  for (const char* text : {"", " ", "[]", "null", "1", "{", "{}x", "{\"a\":}", "\xEF\xBB\xBF",
                           "{\"resourceMetrics\":[18446744073709551616]}"}) {
    error_of(text);
  }
}

TEST(OtlpJson, depth_is_bounded_by_the_option) {
  const auto nested = [](size_t depth) {
    return "{\"x\":" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  EXPECT_TRUE(protobuf_from_json(nested(90), Signal::metrics, 100));
  EXPECT_EQ(error_of(nested(110)), "JSON nested deeper than 100 levels");
  EXPECT_EQ(error_of(nested(5'000'000)), "JSON nested deeper than 100 levels");
}

TEST(OtlpJson, invalid_utf8_becomes_the_replacement_character) {
  EXPECT_EQ(body_text("{\"stringValue\":\"a\xff\"}"), "a\xEF\xBF\xBD");
}

class OthersExamples : public testing::Test {
 protected:
  void SetUp() override {
    const char* data = std::getenv("AUSCULT_DATA");
    if (data != nullptr) folder_ = std::filesystem::path(data) / "otlp/examples";
    if (data == nullptr || !std::filesystem::exists(folder_)) {
      GTEST_SKIP() << "no open test data: set AUSCULT_DATA";
    }
  }
  std::string read(const std::string& name) const {
    const auto text = read_file(folder_ / name);
    EXPECT_TRUE(text) << text.error().message;
    return text ? *text : "";
  }

  std::filesystem::path folder_;
};

constexpr int64_t example_ns = 1'544'712'660'300'000'000;

TEST_F(OthersExamples, metrics_are_readable_back) {
  auto options = test_options();
  EXPECT_EQ(metrics_of(read("metrics.json"), Encoding::json, options).rejected, 3U);
  options.keep_delta = true;
  const auto decoded = metrics_of(read("metrics.json"), Encoding::json, options);

  EXPECT_EQ(decoded.rejected, 0U) << decoded.message;
  for (const auto& sample : decoded.items) EXPECT_EQ(sample.timestamp_ns, example_ns);
  const std::string text = text_of(decoded);
  for (
      const char* line :
      {R"(my_counter_total{job="my.service",my_counter_attr="some value",otel_temporality="delta"} 5)",
       R"(my_gauge_ratio{job="my.service",my_gauge_attr="some value"} 10)",
       R"(my_histogram_bucket{job="my.service",le="1",my_histogram_attr="some value",otel_temporality="delta"} 1)",
       R"(my_histogram_bucket{job="my.service",le="+Inf",my_histogram_attr="some value",otel_temporality="delta"} 2)",
       R"(my_exponential_histogram_bucket{job="my.service",le="8",my_exponential_histogram_attr="some value",otel_temporality="delta"} 3)",
       R"(my_exponential_histogram_sum{job="my.service",my_exponential_histogram_attr="some value",otel_temporality="delta"} 10)"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "\nin\n" << text;
  }
}

TEST_F(OthersExamples, logs_and_events_are_readable_back) {
  const auto logs = decode_logs(read("logs.json"), Encoding::json, test_options());
  ASSERT_TRUE(logs) << logs.error().message;
  const auto& record = logs->items.at(0);
  EXPECT_EQ(record.timestamp_ns, example_ns);
  EXPECT_EQ(record.observed_ns, example_ns);
  EXPECT_EQ(record.severity, 10);
  EXPECT_EQ(record.body, "Example log record");
  EXPECT_EQ(record.trace_id, "5b8efff798038103d269b633813fc60c");
  EXPECT_EQ(record.span_id, "eee19b7ec3c1b174");
  const model::Labels attributes = {{"array.attribute", R"(["many","values"])"},
                                    {"boolean.attribute", "true"},
                                    {"double.attribute", "637.704"},
                                    {"int.attribute", "10"},
                                    {"map.attribute", R"({"some.map.key":"some value"})"},
                                    {"my.scope.attribute", "some scope attribute"},
                                    {"otel.scope.name", "my.library"},
                                    {"otel.scope.version", "1.0.0"},
                                    {"service.name", "my.service"},
                                    {"severity_text", "Information"},
                                    {"string.attribute", "some string"}};
  EXPECT_EQ(record.attributes, attributes);

  const auto events = decode_logs(read("events.json"), Encoding::json, test_options());
  ASSERT_TRUE(events) << events.error().message;
  EXPECT_EQ(model::label(events->items.at(0).attributes, "event.name"), "browser.page_view");
  EXPECT_EQ(events->items.at(0).body,
            R"({"type":0,"url":"https://www.guidgenerator.com/online-guid-generator.aspx",)"
            R"("referrer":"https://wwww.google.com","title":"Free Online GUID Generator"})");
}

TEST_F(OthersExamples, traces_are_readable_back) {
  const auto traces = decode_traces(read("trace.json"), Encoding::json, test_options());
  ASSERT_TRUE(traces) << traces.error().message;
  const auto& span = traces->items.at(0);
  EXPECT_EQ(span.trace_id, "5b8efff798038103d269b633813fc60c");
  EXPECT_EQ(span.span_id, "eee19b7ec3c1b174");
  EXPECT_EQ(span.parent_span_id, "eee19b7ec3c1b173");
  EXPECT_EQ(span.service, "my.service");
  EXPECT_EQ(span.name, "I'm a server span");
  EXPECT_EQ(span.kind, 2);
  EXPECT_EQ(span.start_ns, 1'544'712'660'000'000'000);
  EXPECT_EQ(span.duration_ns, 1'000'000'000);
  EXPECT_EQ(model::label(span.attributes, "my.span.attr"), "some value");
}

}  // namespace
}  // namespace auscult::wire
