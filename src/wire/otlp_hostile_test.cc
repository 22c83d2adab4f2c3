// Hostile input: whatever comes, the answer is an Error or a value, never a crash.
#include <gtest/gtest.h>

#include <random>

#include "wire/testing_otlp.h"

namespace auscult::wire {
namespace {

const char* const names[] = {"metrics", "logs", "traces"};

// The result does not matter.
void decode(std::string_view signal, std::string_view body, Encoding encoding) {
  const auto options = test_options();
  if (signal == "metrics") (void)metrics_from(body, encoding, options);
  if (signal == "logs") (void)decode_logs(body, encoding, options);
  if (signal == "traces") (void)decode_traces(body, encoding, options);
}

void decode_all(std::string_view body, Encoding encoding) {
  for (const char* name : names) decode(name, body, encoding);
}

TEST(Hostile, a_message_cut_at_any_byte_is_an_error) {
  for (const char* name : names) {
    const std::string whole = request(name);
    for (size_t length = 1; length < whole.size(); ++length) {
      decode_all(whole.substr(0, length), Encoding::protobuf);
    }
    // One outermost field holds it all: only nothing and everything are whole.
    EXPECT_FALSE(metrics_from(whole.substr(0, whole.size() - 1), Encoding::protobuf)) << name;
    EXPECT_FALSE(decode_logs(whole.substr(0, 1), Encoding::protobuf, {})) << name;
  }
}

TEST(Hostile, mutated_messages_never_crash) {
  std::mt19937 random(7);
  constexpr int rounds = 20'000;
  for (const char* name : names) {
    const std::string whole = request(name);
    for (int i = 0; i < rounds; ++i) {
      std::string bad = whole;
      for (auto flips = 1 + random() % 4; flips > 0; --flips) {
        bad[random() % bad.size()] = static_cast<char>(random());
      }
      if (random() % 4 == 0) bad.erase(random() % bad.size(), random() % 8);
      decode(name, bad, Encoding::protobuf);
    }
  }
}

TEST(Hostile, random_bytes_never_crash) {
  std::mt19937 random(8);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(random() % 64, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    decode_all(bytes, Encoding::protobuf);
  }
}

TEST(Hostile, mutated_json_never_crashes) {
  std::mt19937 random(9);
  const std::string whole = metric_json(
      R"("name":"h","unit":"s","exponentialHistogram":{"aggregationTemporality":2,"dataPoints":[
      {"timeUnixNano":"1700000000123456789","count":"6","scale":1,"positive":{"offset":-3,
      "bucketCounts":["1","2"]},"attributes":[{"key":"k","value":{"arrayValue":{"values":
      [{"intValue":"1"},{"kvlistValue":{"values":[{"key":"a"}]}}]}}}]}]})",
      attribute_json("host.name", "n1"));
  const std::string alphabet = "{}[]\",:0123456789-.eEtrufalsn\\ \xff";
  for (int i = 0; i < 20'000; ++i) {
    std::string bad = whole;
    for (auto flips = 1 + random() % 3; flips > 0; --flips) {
      bad[random() % bad.size()] = alphabet[random() % alphabet.size()];
    }
    decode("metrics", bad, Encoding::json);
  }
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(metrics_from(whole.substr(0, length), Encoding::json)) << length;
  }
}

TEST(Hostile, a_wrong_wire_type_is_an_error) {
  const std::string name_as_number = field(1, field(2, field(2, std::string("\x08\x01", 2))));
  const auto decoded = metrics_from(name_as_number, Encoding::protobuf);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, ErrorCode::invalid_input);
  EXPECT_EQ(decoded.error().message, "malformed metrics: field 1 has the wrong wire type");
}

TEST(Hostile, a_length_beyond_the_message_is_an_error) {
  for (const char* hex : {"0aff", "0affffffff0f", "0affffffffffffffffff01", "0a05616263",
                          "0affffffffffffffffffff01", "0b", "00", "ffffffffffffffffffff"}) {
    EXPECT_FALSE(metrics_from(unhex(hex), Encoding::protobuf)) << hex;
  }
}

std::string nested_value(size_t depth, unsigned wrapper) {
  std::string value = field(1, "x");
  for (size_t i = 0; i < depth; ++i) {
    value = wrapper == 5 ? field(5, field(1, value))
                         : field(6, field(1, field(1, "k") + field(2, value)));
  }
  return field(1, field(2, field(2, field(5, value))));
}

TEST(Hostile, values_nested_deeper_than_32_are_an_error) {
  for (const unsigned wrapper : {5U, 6U}) {
    EXPECT_TRUE(decode_logs(nested_value(32, wrapper), Encoding::protobuf, {}));
    const auto decoded = decode_logs(nested_value(33, wrapper), Encoding::protobuf, {});
    ASSERT_FALSE(decoded);
    EXPECT_EQ(decoded.error().message, "malformed logs: attribute value nested deeper than 32");
    EXPECT_FALSE(decode_logs(nested_value(3000, wrapper), Encoding::protobuf, {}));
  }
}

TEST(Hostile, deep_json_is_an_error) {
  std::string text = R"({"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":)";
  for (int i = 0; i < 100'000; ++i) text += R"({"arrayValue":{"values":[)";
  EXPECT_FALSE(decode_logs(text, Encoding::json, {}));
}

// 250 KB of labels and 900 buckets would make 230 MB of samples from one point of 270 KB.
TEST(Hostile, labels_times_buckets_are_bounded) {
  std::string point;
  for (char c = 'A'; c < 'A' + 60; ++c) {
    point += field(9, field(1, std::string(1, c)) + field(2, field(1, std::string(4096, 'x'))));
  }
  point += field(6, std::string(901UL * 8, '\0'));
  std::string bounds;
  for (int i = 0; i < 900; ++i) {
    const double bound = i;
    bounds.append(reinterpret_cast<const char*>(&bound), sizeof bound);
  }
  point += field(7, bounds);
  const std::string metric = field(1, "h") + field(9, field(1, point) + std::string("\x10\x02", 2));
  auto options = test_options();
  options.max_decoded_bytes = size_t{64} << 20U;
  const auto decoded =
      metrics_of(field(1, field(2, field(2, metric))), Encoding::protobuf, options);
  EXPECT_EQ(decoded.rejected, 1U);
  EXPECT_EQ(decoded.message, "h: the request unpacks to more than one may hold");
}

TEST(Hostile, millions_of_buckets_are_rejected_and_not_held) {
  const std::string point = field(8, field(2, std::string(size_t{4} << 20U, '\1')));
  const std::string metric =
      field(1, "h") + field(10, field(1, point) + std::string("\x10\x02", 2));
  const auto decoded = metrics_of(field(1, field(2, field(2, metric))), Encoding::protobuf);
  EXPECT_TRUE(decoded.items.empty());
  EXPECT_EQ(decoded.rejected, 1U);
}

}  // namespace
}  // namespace auscult::wire
