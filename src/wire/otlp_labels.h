// Labels of metrics: what attributes of points and resources become in Prometheus.
#pragma once

#include <string_view>

#include "model/tags.h"
#include "wire/otlp.h"

namespace auscult::wire {

// What all points of one resource share.
struct MetricResource {
  model::Labels labels;  // job and instance
  model::Tags tags;
};
MetricResource metric_resource_from(std::string_view message, const DecodeOptions& options);

// Takes the tags out; `instance` comes back as a label when it had more to say than the node.
model::Tags take_metric_tags(model::Labels& labels);

// Sorted attributes -> sorted labels with names in Prometheus form. Empty values are left out, as
// they mean that the label is absent; names that become equal are joined by ";".
void to_prometheus(model::Labels& labels);

// Sets one label of sorted ones; an existing one stays unless `replace`.
void set_label(model::Labels& labels, std::string_view name, std::string_view value, bool replace);

}  // namespace auscult::wire
