#include <gtest/gtest.h>

#include "wire/testing_otlp.h"

namespace auscult::wire {
namespace {

Decoded<model::LogRecords> logs_of(std::string_view body, Encoding encoding,
                                   const DecodeOptions& options = test_options()) {
  auto decoded = decode_logs(body, encoding, options);
  EXPECT_TRUE(decoded) << decoded.error().message;
  return decoded ? std::move(*decoded) : Decoded<model::LogRecords>{};
}

std::string log_json(std::string_view record, std::string_view resource = "") {
  return R"({"resourceLogs":[{"resource":{"attributes":[)" + std::string(resource) +
         R"(]},"scopeLogs":[{"logRecords":[{)" + std::string(record) + "}]}]}]}";
}

TEST(OtlpLogs, records_arrive_from_the_protobuf_of_others) {
  const auto decoded = logs_of(request("logs"), Encoding::protobuf);

  EXPECT_EQ(decoded.rejected, 0U) << decoded.message;
  ASSERT_EQ(decoded.items.size(), 2U);
  const auto& first = decoded.items[0];
  EXPECT_EQ(first.timestamp_ns, golden_ns);
  EXPECT_EQ(first.observed_ns, golden_ns + 1);
  EXPECT_EQ(first.severity, 17);
  EXPECT_EQ(first.source, "kubelet");
  EXPECT_EQ(first.body, "out of memory: Ω");
  EXPECT_EQ(first.trace_id, "000102030405060708090a0b0c0d0e0f");
  EXPECT_EQ(first.span_id, "0102030405060708");
  EXPECT_EQ(first.tags.node_id, "n1");
  const model::Labels attributes = {{"otel.scope.name", "lib"},
                                    {"service.name", "kubelet"},
                                    {"severity_text", "ERR"},
                                    {"thread", "-7"}};
  EXPECT_EQ(first.attributes, attributes);
  const auto& second = decoded.items[1];
  EXPECT_EQ(second.body, R"({"a":[1,"\"q\""]})");
  EXPECT_EQ(second.observed_ns, test_now_ns);
  EXPECT_EQ(second.severity, 0);
}

TEST(OtlpLogs, the_source_is_the_most_exact_name_there_is) {
  const auto source = [](std::string_view attributes, std::string_view resource) {
    const auto decoded = logs_of(
        log_json(R"("attributes":[)" + std::string(attributes) + "]", resource), Encoding::json);
    return decoded.items.at(0).source;
  };
  const std::string service = attribute_json("service.name", "svc");
  const std::string file = attribute_json("log.file.name", "train.log");
  EXPECT_EQ(source("", ""), "");
  EXPECT_EQ(source("", service), "svc");
  EXPECT_EQ(source(file, service), "train.log");
  EXPECT_EQ(source(file + "," + attribute_json("log.source", "nccl"), service), "nccl");
  EXPECT_EQ(source(file, service + "," + attribute_json("log.source", "kernel")), "kernel");
}

TEST(OtlpLogs, attributes_of_the_record_win_over_those_of_the_resource) {
  const auto decoded =
      logs_of(log_json(R"("attributes":[)" + attribute_json("a", "record") + "," +
                           attribute_json("rank", "2") + "]",
                       attribute_json("a", "resource") + "," + attribute_json("b", "kept") + "," +
                           attribute_json("rank", "1")),
              Encoding::json);
  const model::Labels attributes = {{"a", "record"}, {"b", "kept"}};
  EXPECT_EQ(decoded.items.at(0).attributes, attributes);
  EXPECT_EQ(decoded.items.at(0).tags.rank, "2");
}

TEST(OtlpLogs, a_record_without_a_time_has_that_of_its_observation) {
  const auto observed = logs_of(log_json(R"("observedTimeUnixNano":"5")"), Encoding::json);
  EXPECT_EQ(observed.items.at(0).timestamp_ns, 5);
  EXPECT_EQ(observed.items.at(0).observed_ns, 5);
  const auto nothing = logs_of(log_json(""), Encoding::json);
  EXPECT_EQ(nothing.items.at(0).timestamp_ns, test_now_ns);
  EXPECT_EQ(logs_of(log_json(R"("timeUnixNano":"18446744073709551615")"), Encoding::json).rejected,
            1U);
}

TEST(OtlpLogs, an_unknown_severity_is_0_and_a_wrong_id_is_left_out) {
  const auto decoded =
      logs_of(log_json(R"("severityNumber":25,"traceId":"abcd","spanId":"0000000000000000")"),
              Encoding::json);
  EXPECT_EQ(decoded.items.at(0).severity, 0);
  EXPECT_EQ(decoded.items.at(0).trace_id, "");
  EXPECT_EQ(decoded.items.at(0).span_id, "");
}

TEST(OtlpLogs, a_long_body_is_cut_between_characters) {
  auto options = test_options();
  options.max_log_body_bytes = 3;
  const auto decoded =
      logs_of(log_json(R"("body":{"stringValue":"ab€"})"), Encoding::json, options);
  EXPECT_EQ(decoded.items.at(0).body, "ab");
}

TEST(OtlpLogs, a_large_resource_cannot_unfold_without_end) {
  auto options = test_options();
  options.max_decoded_bytes = 10'000;
  std::string records = R"({"body":{"stringValue":"x"}})";
  for (int i = 1; i < 100; ++i) records += R"(,{"body":{"stringValue":"x"}})";
  const auto decoded = logs_of(R"({"resourceLogs":[{"resource":{"attributes":[)" +
                                   attribute_json("big", std::string(1000, 'x')) +
                                   R"(]},"scopeLogs":[{"logRecords":[)" + records + "]}]}]}",
                               Encoding::json, options);
  EXPECT_GT(decoded.items.size(), 0U);
  EXPECT_LT(decoded.items.size(), 10U);
  EXPECT_EQ(decoded.items.size() + decoded.rejected, 100U);
}

TEST(OtlpLogs, too_many_attributes_are_rejected) {
  auto options = test_options();
  options.max_labels = 1;
  const std::string two = attribute_json("a", "1") + "," + attribute_json("b", "2");
  EXPECT_EQ(logs_of(log_json(R"("attributes":[)" + two + "]"), Encoding::json, options).rejected,
            1U);
  EXPECT_EQ(logs_of(log_json("", two), Encoding::json, options).rejected, 1U);
}

}  // namespace
}  // namespace auscult::wire
