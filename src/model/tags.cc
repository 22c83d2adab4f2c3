#include "model/tags.h"

#include <algorithm>

#include "base/text.h"

namespace auscult::model {
namespace {

// What other systems call a tag, best source first.
struct Alias {
  std::string_view attribute;
  std::string Tags::*field;
};

constexpr Alias aliases[] = {
    {"k8s.node.name", &Tags::node_id},
    {"host.name", &Tags::node_id},
    {"Hostname", &Tags::node_id},  // dcgm-exporter
    {"instance", &Tags::node_id},  // Prometheus target, "host:port"
    {"k8s.cluster.name", &Tags::cluster},
    {"slurm.job.id", &Tags::job_id},
    {"k8s.job.name", &Tags::job_id},
    {"TORCHELASTIC_RUN_ID", &Tags::job_id},  // torchrun; "none" is its default and names nothing
};

// "node7:9100" -> "node7", "[fe80::1]:9100" -> "fe80::1"; an address without a port stays whole.
std::string without_port(std::string_view instance) {
  if (!instance.empty() && instance.front() == '[') {
    return std::string(instance.substr(1, instance.find(']') - 1));
  }
  const auto colon = instance.find(':');
  if (colon == std::string_view::npos || instance.find(':', colon + 1) != std::string_view::npos) {
    return std::string(instance);
  }
  return std::string(instance.substr(0, colon));
}

std::string tag_value(std::string_view attribute, const std::string& value) {
  if (attribute == "instance") return without_port(value);
  // dcgm-exporter writes the index alone.
  if (attribute == "gpu" && to_uint(value)) return "gpu" + value;
  if (attribute == "TORCHELASTIC_RUN_ID" && value == "none") return {};
  return value;
}

}  // namespace

const std::array<TagField, 6> tag_fields = {{{"cluster", &Tags::cluster},
                                             {"node_id", &Tags::node_id},
                                             {"job_id", &Tags::job_id},
                                             {"model_name", &Tags::model_name},
                                             {"rank", &Tags::rank},
                                             {"gpu", &Tags::gpu}}};

std::string_view label(const Labels& labels, std::string_view name) {
  for (const auto& [key, value] : labels) {
    if (key == name) return value;
  }
  return {};
}

void normalise(Labels& labels) {
  std::stable_sort(labels.begin(), labels.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  Labels unique;
  for (auto& entry : labels) {
    if (!unique.empty() && unique.back().first == entry.first) {
      unique.back() = std::move(entry);
    } else {
      unique.push_back(std::move(entry));
    }
  }
  labels = std::move(unique);
}

Tags take_tags(Labels& attributes) {
  Tags tags;
  const auto take = [&](std::string_view name, std::string Tags::*field) {
    const auto found = std::find_if(attributes.begin(), attributes.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    if (found == attributes.end()) return;
    if ((tags.*field).empty()) tags.*field = tag_value(name, found->second);
    attributes.erase(found);
  };
  for (const auto& [name, field] : tag_fields) take(name, field);
  for (const auto& [attribute, field] : aliases) take(attribute, field);
  return tags;
}

Tags merged(const Tags& values, const Tags& fallback) {
  Tags result = values;
  for (const auto& [name, field] : tag_fields) {
    if ((result.*field).empty()) result.*field = fallback.*field;
  }
  return result;
}

}  // namespace auscult::model
