#include "model/series.h"

#include <utility>

namespace auscult::model {
namespace {

constexpr int64_t ns_per_ms = 1'000'000;

void add_piece(std::string& text, std::string_view piece) {
  text += std::to_string(piece.size());
  text += ':';
  text += piece;
}

}  // namespace

Series series_of(const Sample& sample) {
  return {
      .metric = sample.metric, .labels = sample.labels, .tags = sample.tags, .kind = sample.kind};
}

std::string identity(const Series& series) {
  std::string text;
  add_piece(text, series.metric);
  for (const auto& [name, field] : tag_fields) add_piece(text, series.tags.*field);
  for (const auto& [name, value] : series.labels) {
    add_piece(text, name);
    add_piece(text, value);
  }
  return text;
}

uint64_t series_id(const Series& series) { return series_id(series, identity(series)); }

uint64_t series_id(const Series& series, std::string_view name) {
  constexpr unsigned node_bits = 24;
  std::string node;
  add_piece(node, series.tags.cluster);
  add_piece(node, series.tags.node_id);
  const uint64_t high = hash64(node) >> (64 - node_bits) << (64 - node_bits);
  return high | hash64(name) >> node_bits;
}

void Points::reserve(size_t n) {
  series.reserve(n);
  timestamps_ms.reserve(n);
  values.reserve(n);
}

Result<Points> to_points(std::span<const Sample> samples, SeriesIndex& index) {
  Points points;
  points.reserve(samples.size());
  for (const Sample& sample : samples) {
    Series named{
        .metric = sample.metric, .labels = sample.labels, .tags = sample.tags, .kind = sample.kind};
    const SeriesKey key = hash128(identity(named), index.seed());
    const Series* series = index.find(key);
    if (series == nullptr) series = TRY(index.add(key, std::move(named)));
    points.push_back(series, sample.timestamp_ns / ns_per_ms, sample.value);
  }
  return points;
}

Samples to_samples(const Points& points) {
  Samples samples;
  samples.reserve(points.size());
  for (size_t i = 0; i < points.size(); ++i) {
    const Series& series = *points.series[i];
    samples.push_back({.metric = series.metric,
                       .labels = series.labels,
                       .tags = series.tags,
                       .timestamp_ns = points.timestamps_ms[i] * ns_per_ms,
                       .value = points.values[i],
                       .kind = series.kind});
  }
  return samples;
}

const Series* PlainSeriesIndex::find(const SeriesKey& key) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : found->second;
}

Result<const Series*> PlainSeriesIndex::add(const SeriesKey& key, Series series) {
  const std::lock_guard lock(mutex_);
  std::string name = identity(series);
  auto& held = by_identity_[name];
  if (held == nullptr) {
    series.id = series_id(series, name);
    held = std::make_unique<Series>(std::move(series));
  }
  by_key_[key] = held.get();
  return held.get();
}

}  // namespace auscult::model
