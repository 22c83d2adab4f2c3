// State of network interfaces: link, carrier changes, speed, MTU, from /sys/class/net. What they
// are stands in netclass_info.
#include <array>

#include "base/file.h"
#include "collect/host_file.h"

namespace auscult::collect {
namespace {

struct Attribute {
  const char* file;
  std::string_view metric;
  model::MetricKind kind = model::MetricKind::gauge;
};
constexpr std::array attributes = {
    Attribute{"carrier", "node_network_carrier"},
    Attribute{"carrier_changes", "node_network_carrier_changes_total", model::MetricKind::counter},
    Attribute{"carrier_up_count", "node_network_carrier_up_changes_total",
              model::MetricKind::counter},
    Attribute{"carrier_down_count", "node_network_carrier_down_changes_total",
              model::MetricKind::counter},
    Attribute{"dormant", "node_network_dormant"},
    Attribute{"flags", "node_network_flags"},
    Attribute{"mtu", "node_network_mtu_bytes"},
    Attribute{"tx_queue_len", "node_network_transmit_queue_length"}};

void read_interface(const Folder& folder, const std::string& device, model::Samples& samples) {
  for (const auto& attribute : attributes) {
    const auto value = folder.number(attribute.file);
    if (!value) continue;
    auto sample = gauge(attribute.metric, *value, {{"device", device}});
    sample.kind = attribute.kind;
    samples.push_back(std::move(sample));
  }
  const bool up = folder.value("operstate") == "up";
  samples.push_back(gauge("node_network_up", up ? 1 : 0, {{"device", device}}));
  // -1 means that the driver does not know.
  if (const auto megabits = folder.number("speed"); megabits && *megabits >= 0) {
    samples.push_back(
        gauge("node_network_speed_bytes", *megabits * 1000 * 1000 / 8, {{"device", device}}));
  }
}

Result<model::Samples> read(const Host& host) {
  model::Samples samples;
  const auto folder = host.root / "sys/class/net";
  const Folder interfaces(folder);
  for (const auto& device : list_folder(folder)) {
    // bonding_masters is a file among the interfaces and opens as no folder.
    const Folder interface(interfaces, device, host);
    if (interface) read_interface(interface, device, samples);
  }
  return samples;
}

}  // namespace

Collector netclass() { return {.summary = "network links, carrier changes, speed", .read = read}; }

}  // namespace auscult::collect
