// What the tests of this folder share: decoding with a known time, requests of an encoder not ours.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/file.h"
#include "base/text.h"
#include "wire/otlp.h"

namespace auscult::wire {

inline constexpr int64_t test_now_ns = 1'600'000'000'000'000'000;
inline constexpr int64_t golden_ns = 1'700'000'000'123'456'789;
inline constexpr int64_t golden_in_ms_ns = 1'700'000'000'123'000'000;  // of a sample

inline DecodeOptions test_options() { return {.now_ns = test_now_ns}; }

inline std::string unhex(std::string_view hex) {
  std::string bytes;
  hex = trim(hex);
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

// A request that testdata/make_requests.py wrote.
inline std::string request(const std::string& name) {
  const auto hex = read_file("testdata/" + name + ".hex");
  EXPECT_TRUE(hex) << hex.error().message;
  return hex ? unhex(*hex) : std::string();
}

// Decoded with an index of its own, and as samples.
inline Result<Decoded<model::Samples>> metrics_from(std::string_view body, Encoding encoding,
                                                    const DecodeOptions& options = test_options()) {
  model::PlainSeriesIndex index;
  const auto decoded = TRY(decode_metrics(body, encoding, options, index));
  return Decoded<model::Samples>{.items = model::to_samples(decoded.items),
                                 .rejected = decoded.rejected,
                                 .message = decoded.message};
}

inline Decoded<model::Samples> metrics_of(std::string_view body, Encoding encoding,
                                          const DecodeOptions& options = test_options()) {
  auto decoded = metrics_from(body, encoding, options);
  EXPECT_TRUE(decoded) << decoded.error().message;
  return decoded ? std::move(*decoded) : Decoded<model::Samples>{};
}

inline std::string text_of(const Decoded<model::Samples>& decoded) {
  return model::to_prometheus_text(decoded.items, false);
}

// OTLP/JSON of one metric: `metric` is what stands in its braces.
inline std::string metric_json(std::string_view metric, std::string_view resource = "",
                               std::string_view scope = "") {
  return R"({"resourceMetrics":[{"resource":{"attributes":[)" + std::string(resource) +
         R"(]},"scopeMetrics":[{"scope":{"name":")" + std::string(scope) + R"("},"metrics":[{)" +
         std::string(metric) + "}]}]}]}";
}

inline std::string attribute_json(std::string_view key, std::string_view value) {
  return R"({"key":")" + std::string(key) + R"(","value":{"stringValue":")" + std::string(value) +
         R"("}})";
}

// The bytes of a protobuf field of length-delimited type.
inline std::string field(unsigned number, std::string_view content) {
  std::string bytes(1, static_cast<char>(number << 3U | 2U));
  size_t length = content.size();
  for (; length >= 128; length /= 128) bytes += static_cast<char>(length % 128 + 128);
  bytes += static_cast<char>(length);
  return bytes + std::string(content);
}

}  // namespace auscult::wire
