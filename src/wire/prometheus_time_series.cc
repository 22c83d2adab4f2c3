#include "wire/prometheus_time_series.h"

#include <algorithm>
#include <protozero/pbf_writer.hpp>
#include <utility>

namespace auscult::wire {
namespace {

using model::Labels;

std::pair<std::string_view, std::string_view> label_from(std::string_view message) {
  std::pair<std::string_view, std::string_view> label;
  for (Fields fields(message); fields.next();) {
    const auto number = fields.number();
    if (number == 1) label.first = fields.bytes();
    if (number == 2) label.second = fields.bytes();
  }
  return label;
}

// At most `max_count` labels, so that two bytes a label cannot grow to two strings each.
Labels labels_from(std::string_view label_fields, std::string_view dropped, size_t max_count) {
  Labels labels;
  for (Fields fields(label_fields); fields.next() && labels.size() < max_count;) {
    const auto [name, value] = label_from(fields.bytes());
    if (dropped.empty() || name != dropped) labels.emplace_back(name, value);
  }
  std::sort(labels.begin(), labels.end());
  return labels;
}

}  // namespace

void LabelFields::add_scattered(std::string_view label) {
  if (scattered_.empty()) scattered_ = message_.substr(0, leading_bytes_);
  protozero::pbf_writer(scattered_).add_bytes(1, label.data(), label.size());
}

std::string_view label_value(std::string_view label_fields, std::string_view name) {
  for (Fields fields(label_fields); fields.next();) {
    const auto label = label_from(fields.bytes());
    if (label.first == name) return label.second;
  }
  return {};
}

LabelledSeries::LabelledSeries(model::SeriesIndex& index, std::string_view scope,
                               const SeriesLimits& limits, std::string_view dropped, TypeOf type_of)
    : index_(index),
      seed_(key_seed(index, std::string(scope) + ":" + std::string(dropped))),
      limits_(limits),
      dropped_(dropped),
      type_of_(std::move(type_of)) {}

const model::Series* LabelledSeries::add(const model::SeriesKey& key, std::string_view label_fields,
                                         uint64_t n_samples, Rejected& rejected) {
  constexpr size_t name_and_one_too_many = 2;
  Labels labels = labels_from(label_fields, dropped_, limits_.max_labels + name_and_one_too_many);
  const std::string metric(model::label(labels, "__name__"));
  std::string_view why = excess_of(labels, limits_);
  if (why.empty()) why = flaw_of(labels);
  if (!why.empty()) {
    rejected.add(n_samples, metric, why);
    return nullptr;
  }
  const auto added = index_.add(key, series_from(std::move(labels), type_of_(metric)));
  if (added) return *added;
  rejected.add(n_samples, {}, added.error().message);
  return nullptr;
}

}  // namespace auscult::wire
