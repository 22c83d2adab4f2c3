// What the tests of Prometheus's protocols share: requests written by hand, and a server's own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "model/series.h"
#include "wire/testing_otlp.h"

namespace auscult::wire {

inline constexpr uint64_t stale_marker_bits = 0x7ff0000000000002;

inline bool is_stale(double value) { return std::bit_cast<uint64_t>(value) == stale_marker_bits; }

inline std::string label_field(std::string_view name, std::string_view value) {
  return field(1, field(1, name) + field(2, value));
}

inline std::string varint_field(unsigned number, uint64_t value) {
  std::string bytes(1, static_cast<char>(number << 3U));
  for (; value >= 128; value /= 128) bytes += static_cast<char>(value % 128 + 128);
  return bytes + static_cast<char>(value);
}

inline std::string double_field(unsigned number, double value) {
  std::string bytes(1, static_cast<char>(number << 3U | 1U));
  const auto bits = std::bit_cast<uint64_t>(value);
  for (unsigned i = 0; i < 64; i += 8) bytes += static_cast<char>(bits >> i);
  return bytes;
}

inline std::string sample_field(double value, int64_t timestamp_ms) {
  return field(2, double_field(1, value) + varint_field(2, static_cast<uint64_t>(timestamp_ms)));
}

// The lines of a file that testdata/make_prometheus.py wrote.
inline std::vector<std::string> recorded_lines(const std::string& name) {
  const auto text = read_file("testdata/" + name);
  EXPECT_TRUE(text) << text.error().message;
  std::vector<std::string> lines;
  for (const auto line : split(text ? trim(*text) : std::string_view(), '\n')) {
    lines.emplace_back(line);
  }
  return lines;
}

inline std::string point_line(std::string_view name, int64_t timestamp_ms, double value) {
  return std::string(name) + " " + std::to_string(timestamp_ms) + " " +
         (std::isnan(value) ? "NaN" : std::to_string(std::bit_cast<uint64_t>(value)));
}

// "metric time bits", sorted; without staleness markers, which a query does not show either.
inline std::vector<std::string> point_lines(const model::Points& points) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < points.size(); ++i) {
    if (is_stale(points.values[i])) continue;
    const model::Series& series = *points.series[i];
    lines.push_back(point_line(series.metric + std::string(model::label(series.labels, "le")),
                               points.timestamps_ms[i], points.values[i]));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

// What the server's query API said of the samples in the recorded bodies.
inline std::vector<std::string> queried_lines() {
  std::vector<std::string> lines;
  for (const auto& line : recorded_lines("prometheus_values.txt")) {
    const auto parts = words(line);
    const std::string_view value = parts[2].starts_with('+') ? parts[2].substr(1) : parts[2];
    lines.push_back(point_line(parts[0], *to_int(parts[1]), *to_double(value)));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace auscult::wire
