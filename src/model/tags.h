// Tags: the six first-class tags that join metrics, logs, spans and benchmark results.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace auscult::model {

// Name and value, sorted by name, each name once.
using Labels = std::vector<std::pair<std::string, std::string>>;

// The value of a label, or empty.
std::string_view label(const Labels& labels, std::string_view name);

// Sorts by name; of a repeated name the last stays.
void normalise(Labels& labels);

struct Tags {
  std::string cluster;
  std::string node_id;
  std::string job_id;
  std::string model_name;
  std::string rank;
  std::string gpu;  // "gpu0"

  bool operator==(const Tags&) const = default;
};

// Field by name, so that code and schema go through the six in one order.
struct TagField {
  std::string_view name;
  std::string Tags::*field;
};
extern const std::array<TagField, 6> tag_fields;

// Takes the attributes that mean one of the six tags out of `attributes` and returns them as Tags:
// the tag's own name, and what the ecosystem calls it (`host.name`, `k8s.node.name`, `Hostname`,
// `instance` without its port, `slurm.job.id`, TORCHELASTIC_RUN_ID unless "none", ...). A tag's own
// name wins over another name for it. A gpu "0" becomes "gpu0". Attributes that only resemble a tag
// stay where they are.
Tags take_tags(Labels& attributes);

// `values` where set, else `fallback`.
Tags merged(const Tags& values, const Tags& fallback);

}  // namespace auscult::model
