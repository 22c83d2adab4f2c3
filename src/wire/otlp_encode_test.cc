#include <gtest/gtest.h>

#include "base/json.h"
#include "wire/testing_otlp.h"

namespace auscult::wire {
namespace {

model::Sample sample(std::string metric, double value, model::MetricKind kind) {
  return {.metric = std::move(metric),
          .labels = {{"cpu", "0"}, {"mode", "idle"}},
          .tags = {.cluster = "c", .node_id = "n1", .job_id = "7", .rank = "3", .gpu = "gpu0"},
          .timestamp_ns = golden_ns,
          .value = value,
          .kind = kind};
}

TEST(OtlpEncode, samples_come_back_as_they_were) {
  const model::Samples samples = {
      sample("node_cpu_seconds_total", 1.25, model::MetricKind::counter),
      sample("DCGM_FI_DEV_GPU_TEMP", 41, model::MetricKind::gauge),
      sample("node_cpu_seconds_total", 2.5, model::MetricKind::counter),
      sample("node_vmstat_pgfault", 9e15, model::MetricKind::counter),
      sample("auscult_x:y__z", -1, model::MetricKind::gauge)};

  const auto decoded = metrics_of(encode_metrics(samples), Encoding::protobuf);

  EXPECT_EQ(decoded.rejected, 0U) << decoded.message;
  ASSERT_EQ(decoded.items.size(), samples.size());
  EXPECT_EQ(text_of(decoded), model::to_prometheus_text(samples, false));
  for (const auto& item : decoded.items) {
    EXPECT_EQ(item.timestamp_ns, golden_in_ms_ns);
    EXPECT_EQ(item.tags, samples[0].tags);
    EXPECT_EQ(item.labels, samples[0].labels);
  }
}

TEST(OtlpEncode, log_records_come_back_as_they_were) {
  const model::LogRecords records = {{.timestamp_ns = golden_ns,
                                      .observed_ns = golden_ns + 5,
                                      .severity = 17,
                                      .source = "kernel",
                                      .body = "Out of memory: Killed process",
                                      .trace_id = "000102030405060708090a0b0c0d0e0f",
                                      .span_id = "0102030405060708",
                                      .attributes = {{"unit", "sshd"}},
                                      .tags = {.node_id = "n1"}},
                                     {.timestamp_ns = 1, .observed_ns = 2, .body = "bad \xff"}};

  const auto decoded = decode_logs(encode_logs(records), Encoding::protobuf, test_options());

  ASSERT_TRUE(decoded) << decoded.error().message;
  ASSERT_EQ(decoded->items.size(), 2U);
  const auto& first = decoded->items[0];
  EXPECT_EQ(first.timestamp_ns, golden_ns);
  EXPECT_EQ(first.observed_ns, golden_ns + 5);
  EXPECT_EQ(first.severity, 17);
  EXPECT_EQ(first.source, "kernel");
  EXPECT_EQ(first.body, records[0].body);
  EXPECT_EQ(first.trace_id, records[0].trace_id);
  EXPECT_EQ(first.span_id, records[0].span_id);
  EXPECT_EQ(first.tags, records[0].tags);
  EXPECT_EQ(first.attributes, records[0].attributes);
  EXPECT_EQ(decoded->items[1].body, "bad \xEF\xBF\xBD");
  EXPECT_EQ(decoded->items[1].source, "");
}

TEST(OtlpEncode, nothing_is_a_valid_request) {
  EXPECT_TRUE(metrics_of(encode_metrics({}), Encoding::protobuf).items.empty());
  EXPECT_TRUE(decode_logs(encode_logs({}), Encoding::protobuf, test_options()));
}

// The expected bytes were worked out by hand from the field numbers.
TEST(OtlpEncode, a_success_is_empty_unless_something_was_rejected) {
  EXPECT_EQ(encode_success(Signal::metrics, Encoding::protobuf, 0, ""), "");
  EXPECT_EQ(encode_success(Signal::metrics, Encoding::json, 0, ""), "{}");
  EXPECT_EQ(encode_success(Signal::logs, Encoding::protobuf, 300, "no"),
            unhex("0a07") + unhex("08ac02") + unhex("12026e6f"));
  EXPECT_EQ(encode_success(Signal::metrics, Encoding::json, 3, "x\"y"),
            R"({"partialSuccess":{"rejectedDataPoints":"3","errorMessage":"x\"y"}})");
  EXPECT_EQ(encode_success(Signal::logs, Encoding::json, 1, ""),
            R"({"partialSuccess":{"rejectedLogRecords":"1","errorMessage":""}})");
  EXPECT_EQ(encode_success(Signal::traces, Encoding::json, 1, ""),
            R"({"partialSuccess":{"rejectedSpans":"1","errorMessage":""}})");
}

TEST(OtlpEncode, an_error_is_a_status_with_the_code_of_grpc) {
  EXPECT_EQ(encode_error(Encoding::json, 400, "bad"), R"({"code":3,"message":"bad"})");
  EXPECT_EQ(encode_error(Encoding::protobuf, 400, "bad"), unhex("08031203") + "bad");
  const std::pair<int, int> codes[] = {{401, 16}, {403, 7},  {404, 12}, {413, 8}, {415, 3},
                                       {429, 8},  {500, 13}, {503, 14}, {504, 4}};
  for (const auto& [http, grpc] : codes) {
    const auto json = Json::parse(encode_error(Encoding::json, http, ""));
    ASSERT_TRUE(json);
    EXPECT_EQ((*json)["code"].int_or(-1), grpc) << http;
  }
}

}  // namespace
}  // namespace auscult::wire
