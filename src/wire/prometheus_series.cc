#include "wire/prometheus_series.h"

#include <algorithm>

#include "base/text.h"
#include "wire/otlp_labels.h"
#include "wire/otlp_values.h"

namespace auscult::wire {
namespace {

using model::Labels;
using model::MetricKind;

constexpr std::string_view name_label = "__name__";

// Of OpenMetrics and of the classic text format; _gcount and _gsum are those of gauge histograms.
constexpr std::string_view suffixes[] = {"_total",   "_bucket", "_count", "_sum",
                                         "_created", "_info",   "_gsum",  "_gcount"};

bool counts_up(std::string_view metric) {
  return metric.ends_with("_total") || metric.ends_with("_count") || metric.ends_with("_sum") ||
         metric.ends_with("_bucket");
}

bool is_utf8(std::string_view text) { return valid_utf8(text) == text; }

}  // namespace

void Rejected::add(uint64_t n_samples, std::string_view metric, std::string_view why) {
  if (n_samples == 0) return;
  if (samples == 0) {
    constexpr size_t max_name_bytes = 200;
    message = text_from(metric, max_name_bytes);
    if (!metric.empty()) message += ": ";
    message += why;
  }
  samples += n_samples;
}

std::string_view family_of(std::string_view metric) {
  for (const auto suffix : suffixes) {
    if (metric.ends_with(suffix)) return metric.substr(0, metric.size() - suffix.size());
  }
  return metric;
}

MetricKind kind_of(std::string_view metric, MetricType type) {
  const bool parts_count =
      type == MetricType::unknown || type == MetricType::histogram || type == MetricType::summary;
  const bool counter = (type == MetricType::counter && !metric.ends_with("_created")) ||
                       (parts_count && counts_up(metric));
  return counter ? MetricKind::counter : MetricKind::gauge;
}

std::string_view flaw_of(const Labels& labels) {
  if (model::label(labels, name_label).empty()) return "a series without a name";
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto& [name, value] = labels[i];
    if (name.empty()) return "a label without a name";
    if (i > 0 && labels[i - 1].first == name) return "a label given twice";
    if (!is_utf8(name) || !is_utf8(value)) return "invalid UTF-8";
  }
  return {};
}

std::string_view excess_of(const Labels& labels, const SeriesLimits& limits) {
  if (labels.size() > limits.max_labels + 1) return "more labels than a series may have";
  const bool fits = std::all_of(labels.begin(), labels.end(), [&](const auto& label) {
    return label.first.size() <= limits.max_label_bytes &&
           label.second.size() <= limits.max_label_bytes;
  });
  return fits ? std::string_view() : "a label longer than one may be";
}

model::Series series_from(Labels labels, MetricType type) {
  model::Series series;
  series.metric = model::label(labels, name_label);
  series.kind = kind_of(series.metric, type);
  std::erase_if(
      labels, [](const auto& label) { return label.first == name_label || label.second.empty(); });
  series.tags = take_metric_tags(labels);
  std::sort(labels.begin(), labels.end());
  series.labels = std::move(labels);
  return series;
}

uint64_t key_seed(const model::SeriesIndex& index, std::string_view scope) {
  return hash128(scope, index.seed()).low;
}

}  // namespace auscult::wire
