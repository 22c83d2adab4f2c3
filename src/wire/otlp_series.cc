#include "wire/otlp_series.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <utility>

#include "wire/otlp_values.h"

namespace auscult::wire {
namespace {

std::string bound_text(double bound) {
  if (std::isinf(bound)) return bound > 0 ? "+Inf" : "-Inf";
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), bound).ptr};
}

template <typename T>
std::string_view bytes_of_array(const T& array) {
  return {reinterpret_cast<const char*>(array.data()), array.size() * sizeof(array[0])};
}

}  // namespace

void SeriesFinder::set_point(const MetricContext& metric,
                             const std::vector<std::string_view>& attributes) {
  metric_ = &metric;
  attributes_ = &attributes;
  base_.reset();
  bytes_.clear();
  for (const auto attribute : attributes) {
    // With its length, so that no two lists of attributes spell the same bytes.
    const auto length = static_cast<uint32_t>(attribute.size());
    bytes_.append(reinterpret_cast<const char*>(&length), sizeof length);
    bytes_.append(attribute);
  }
  point_key_ = hash128(bytes_, index_.seed() ^ metric.seed);
}

model::SeriesKey SeriesFinder::key_of(const Part& part) const {
  if (part.suffix.empty() && part.label.empty()) return point_key_;
  // Suffixes differ in their second letter: _bucket, _sum, _count.
  const std::array<uint64_t, 4> numbers = {
      point_key_.high, point_key_.low, std::bit_cast<uint64_t>(part.bound),
      part.suffix.size() < 2 ? 0 : static_cast<uint64_t>(part.suffix[1])};
  return hash128(bytes_of_array(numbers), index_.seed());
}

Result<const model::Series*> SeriesFinder::find(const Part& part) {
  const model::SeriesKey key = key_of(part);
  if (const model::Series* series = index_.find(key)) return series;
  model::Series series = spell(part);
  const size_t bytes = bytes_of(series.labels) + bytes_of(series.tags);
  if (bytes > options_.max_decoded_bytes - spelled_bytes_) {
    return Error{ErrorCode::invalid_input, std::string(too_much)};
  }
  spelled_bytes_ += bytes;
  return index_.add(key, std::move(series));
}

model::Series SeriesFinder::spell(const Part& part) {
  if (!base_) {
    base_.emplace();
    auto& labels = base_->labels;
    for (const auto attribute : *attributes_) {
      append_attribute(labels, attribute, options_.max_label_bytes);
    }
    if (!std::is_sorted(labels.begin(), labels.end())) model::normalise(labels);
    base_->tags = model::merged(take_metric_tags(labels), resource_->tags);
    to_prometheus(labels);
    for (const auto& [name, value] : resource_->labels) set_label(labels, name, value, false);
    if (metric_->is_delta) set_label(labels, "otel_temporality", "delta", true);
  }
  model::Series series = *base_;
  series.metric = metric_->name;
  series.metric += part.suffix;
  series.kind = part.kind;
  if (!part.label.empty()) set_label(series.labels, part.label, bound_text(part.bound), true);
  return series;
}

}  // namespace auscult::wire
