#include "model/sample.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <tuple>

namespace auscult::model {
namespace {

// Values shorter than Prometheus's own %g and reading back equal.
std::string format_value(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

std::string format_labels(const Sample& sample) {
  Labels all = sample.labels;
  for (const auto& [name, field] : tag_fields) {
    if (!(sample.tags.*field).empty()) all.emplace_back(std::string(name), sample.tags.*field);
  }
  normalise(all);
  if (all.empty()) return {};
  std::string text = "{";
  for (const auto& [name, value] : all) {
    if (text.size() > 1) text += ',';
    text += name + "=\"";
    for (const char c : value) {
      if (c == '\\' || c == '"') text += '\\';
      text += c == '\n' ? std::string("\\n") : std::string(1, c);
    }
    text += '"';
  }
  return text + "}";
}

}  // namespace

std::string to_prometheus_text(const Samples& samples, bool with_timestamps) {
  struct Line {
    const Sample* sample;
    std::string labels;
  };
  std::vector<Line> lines;
  lines.reserve(samples.size());
  for (const Sample& sample : samples) lines.push_back({&sample, format_labels(sample)});
  std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
    return std::tie(a.sample->metric, a.labels) < std::tie(b.sample->metric, b.labels);
  });
  std::string text;
  std::string_view metric;
  for (const auto& [sample, labels] : lines) {
    if (metric != sample->metric) {
      metric = sample->metric;
      text += "# TYPE " + sample->metric +
              (sample->kind == MetricKind::counter ? " counter\n" : " gauge\n");
    }
    text += sample->metric + labels + " " + format_value(sample->value);
    if (with_timestamps) text += " " + std::to_string(sample->timestamp_ns / 1'000'000);
    text += '\n';
  }
  return text;
}

}  // namespace auscult::model
