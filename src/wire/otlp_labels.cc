#include "wire/otlp_labels.h"

#include <algorithm>

#include "wire/otlp_fields.h"
#include "wire/otlp_names.h"
#include "wire/otlp_values.h"

namespace auscult::wire {
namespace {

using model::Labels;
using model::Tags;

// "node7:9100", "[fe80::1]:9100"; not a UUID or a pod's name.
bool is_host_and_port(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) return false;
  const auto port = text.substr(colon + 1);
  return std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Tags take_metric_tags(Labels& labels) {
  std::string instance(model::label(labels, "instance"));
  Tags tags = model::take_tags(labels);
  if (is_host_and_port(instance)) labels.emplace_back("instance", std::move(instance));
  return tags;
}

MetricResource metric_resource_from(std::string_view message, const DecodeOptions& options) {
  Labels attributes;
  Fields fields(message);
  while (fields.next()) {
    const auto number = fields.number();
    if (number == 1) append_attribute(attributes, fields.bytes(), options.max_label_bytes);
  }
  model::normalise(attributes);
  MetricResource resource;
  resource.tags = take_metric_tags(attributes);
  std::string instance(model::label(attributes, "instance"));
  if (instance.empty()) instance = model::label(attributes, "service.instance.id");
  std::string job(model::label(attributes, "service.name"));
  const auto service_namespace = model::label(attributes, "service.namespace");
  if (!job.empty() && !service_namespace.empty()) {
    job.insert(0, std::string(service_namespace) + "/");
  }
  if (resource.tags.node_id.empty() && is_host_and_port(instance)) {
    Labels only = {{"instance", instance}};
    resource.tags.node_id = model::take_tags(only).node_id;
  }
  if (!instance.empty()) resource.labels.emplace_back("instance", std::move(instance));
  if (!job.empty()) resource.labels.emplace_back("job", std::move(job));
  return resource;
}

void to_prometheus(Labels& labels) {
  std::erase_if(labels, [](const auto& entry) { return entry.second.empty(); });
  bool renamed = false;
  for (auto& [name, value] : labels) {
    std::string label = label_name(name);
    if (label == name) continue;
    name = std::move(label);
    renamed = true;
  }
  if (!renamed) return;
  std::stable_sort(labels.begin(), labels.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  Labels joined;
  for (auto& entry : labels) {
    if (!joined.empty() && joined.back().first == entry.first) {
      joined.back().second += ";" + entry.second;
    } else {
      joined.push_back(std::move(entry));
    }
  }
  labels = std::move(joined);
}

void set_label(Labels& labels, std::string_view name, std::string_view value, bool replace) {
  const auto at = std::lower_bound(labels.begin(), labels.end(), name,
                                   [](const auto& entry, auto key) { return entry.first < key; });
  if (at != labels.end() && at->first == name) {
    if (replace) at->second = value;
  } else {
    labels.emplace(at, name, value);
  }
}

}  // namespace auscult::wire
