// Names: OpenTelemetry's metric and attribute names in Prometheus form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace auscult::wire {

enum class NamedAs : uint8_t { gauge, monotonic_sum, other };

// Whether Prometheus accepts the name: [a-zA-Z_:][a-zA-Z0-9_:]*.
bool is_metric_name(std::string_view name);

// "http.server.duration", "s" -> "http_server_duration_seconds"; monotonic sums end in _total,
// gauges of unit 1 in _ratio. The words of a unit are not repeated. Without a unit a name in
// Prometheus form stays as it is, save for the _total. Empty when nothing of the name is left.
std::string metric_name(std::string_view name, std::string_view unit, NamedAs kind);

// "k8s.pod.name" -> "k8s_pod_name", "1st" -> "key_1st". A valid name stays. A name that would
// become one of the six tags, or __name__, gets "exported_" in front, so that it does not replace
// it.
std::string label_name(std::string_view name);

}  // namespace auscult::wire
