#include <gtest/gtest.h>

#include "wire/testing_otlp.h"

namespace auscult::wire {
namespace {

Decoded<model::Spans> spans_of(std::string_view body, Encoding encoding) {
  auto decoded = decode_traces(body, encoding, test_options());
  EXPECT_TRUE(decoded) << decoded.error().message;
  return decoded ? std::move(*decoded) : Decoded<model::Spans>{};
}

std::string span_json(std::string_view span) {
  return R"({"resourceSpans":[{"scopeSpans":[{"spans":[{)" + std::string(span) + "}]}]}]}";
}

constexpr std::string_view ids =
    R"("traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"EEE19B7EC3C1B174")";

TEST(OtlpTraces, a_span_arrives_from_the_protobuf_of_others) {
  const auto decoded = spans_of(request("traces"), Encoding::protobuf);

  EXPECT_EQ(decoded.rejected, 0U) << decoded.message;
  ASSERT_EQ(decoded.items.size(), 1U);
  const auto& span = decoded.items[0];
  EXPECT_EQ(span.trace_id, "000102030405060708090a0b0c0d0e0f");
  EXPECT_EQ(span.span_id, "0102030405060708");
  EXPECT_EQ(span.parent_span_id, "0203040506070809");
  EXPECT_EQ(span.service, "nccl");
  EXPECT_EQ(span.name, "allreduce");
  EXPECT_EQ(span.kind, 3);
  EXPECT_EQ(span.start_ns, golden_ns);
  EXPECT_EQ(span.duration_ns, 2'500'000);
  EXPECT_EQ(span.status_code, 2);
  EXPECT_EQ(span.status_message, "timeout");
  EXPECT_EQ(span.tags.node_id, "n1");
  EXPECT_EQ(span.tags.rank, "1");
  const model::Labels attributes = {
      {"bytes", "1048576"}, {"service.name", "nccl"}, {"w3c.tracestate", "a=b"}};
  EXPECT_EQ(span.attributes, attributes);
}

TEST(OtlpTraces, ids_of_json_become_lower_case) {
  const auto decoded = spans_of(span_json(ids), Encoding::json);
  ASSERT_EQ(decoded.items.size(), 1U);
  EXPECT_EQ(decoded.items[0].trace_id, "5b8efff798038103d269b633813fc60c");
  EXPECT_EQ(decoded.items[0].span_id, "eee19b7ec3c1b174");
  EXPECT_EQ(decoded.items[0].parent_span_id, "");
}

TEST(OtlpTraces, a_span_that_makes_no_sense_is_rejected_with_a_reason) {
  const auto reason = [](std::string_view span) {
    const auto decoded = spans_of(span_json(span), Encoding::json);
    EXPECT_EQ(decoded.rejected, 1U) << span;
    return decoded.message;
  };
  const std::string all(ids);
  EXPECT_EQ(reason(all + R"(,"name":"s","startTimeUnixNano":"2","endTimeUnixNano":"1")"),
            "s: the span ends before it starts");
  EXPECT_EQ(reason(all + R"(,"endTimeUnixNano":"9223372036854775808")"),
            "time beyond the year 2261");
  EXPECT_EQ(reason(R"("traceId":"","spanId":"EEE19B7EC3C1B174")"),
            "a trace id is 16 bytes, not all zero");
  EXPECT_EQ(reason(R"("traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"00")"),
            "a span id is 8 bytes, not all zero");
}

TEST(OtlpTraces, unknown_kinds_and_status_codes_are_0) {
  const auto decoded =
      spans_of(span_json(std::string(ids) + R"(,"kind":6,"status":{"code":3})"), Encoding::json);
  EXPECT_EQ(decoded.items.at(0).kind, 0);
  EXPECT_EQ(decoded.items.at(0).status_code, 0);
}

TEST(OtlpTraces, a_span_of_no_length_is_kept) {
  const auto decoded =
      spans_of(span_json(std::string(ids) + R"(,"startTimeUnixNano":"7","endTimeUnixNano":"7")"),
               Encoding::json);
  EXPECT_EQ(decoded.items.at(0).duration_ns, 0);
}

}  // namespace
}  // namespace auscult::wire
