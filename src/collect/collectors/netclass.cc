// State of network interfaces: link, carrier changes, speed, MTU, from /sys/class/net.
#include <array>

#include "base/file.h"
#include "base/text.h"
#include "collect/host_file.h"

namespace auscult::collect {
namespace {

struct Attribute {
  const char* file;
  std::string_view metric;
  model::MetricKind kind = model::MetricKind::gauge;
};
constexpr std::array attributes = {
    Attribute{"addr_assign_type", "node_network_address_assign_type"},
    Attribute{"carrier", "node_network_carrier"},
    Attribute{"carrier_changes", "node_network_carrier_changes_total", model::MetricKind::counter},
    Attribute{"carrier_up_count", "node_network_carrier_up_changes_total",
              model::MetricKind::counter},
    Attribute{"carrier_down_count", "node_network_carrier_down_changes_total",
              model::MetricKind::counter},
    Attribute{"dev_id", "node_network_device_id"},
    Attribute{"dormant", "node_network_dormant"},
    Attribute{"flags", "node_network_flags"},
    Attribute{"ifindex", "node_network_iface_id"},
    Attribute{"iflink", "node_network_iface_link"},
    Attribute{"link_mode", "node_network_iface_link_mode"},
    Attribute{"mtu", "node_network_mtu_bytes"},
    Attribute{"name_assign_type", "node_network_name_assign_type"},
    Attribute{"netdev_group", "node_network_net_dev_group"},
    Attribute{"type", "node_network_protocol_type"},
    Attribute{"tx_queue_len", "node_network_transmit_queue_length"}};

// Some attributes are printed in hexadecimal.
std::optional<double> parse(std::string_view text) {
  if (!text.starts_with("0x")) return to_double(text);
  double value = 0;
  for (const char c : text.substr(2)) {
    const auto digit = std::string_view("0123456789abcdef").find(static_cast<char>(c | 0x20));
    if (digit == std::string_view::npos) return {};
    value = value * 16 + static_cast<double>(digit);
  }
  return value;
}

void read_interface(const Folder& folder, const std::string& device, model::Samples& samples) {
  constexpr unsigned flag_up = 1;  // IFF_UP
  bool admin_up = false;
  for (const auto& attribute : attributes) {
    const auto text = folder.value(attribute.file);
    const auto value = text ? parse(*text) : std::nullopt;
    if (!value) continue;
    if (attribute.metric == "node_network_flags") {
      admin_up = (static_cast<unsigned>(*value) & flag_up) != 0;
    }
    auto sample = gauge(attribute.metric, *value, {{"device", device}});
    sample.kind = attribute.kind;
    samples.push_back(std::move(sample));
  }
  const auto text = [&](const char* name) { return folder.value(name).value_or(""); };
  const std::string state = text("operstate");
  samples.push_back(gauge("node_network_up", state == "up" ? 1 : 0, {{"device", device}}));
  // -1 means that the driver does not know.
  if (const auto megabits = folder.number("speed"); megabits && *megabits >= 0) {
    samples.push_back(
        gauge("node_network_speed_bytes", *megabits * 1000 * 1000 / 8, {{"device", device}}));
  }
  samples.push_back(gauge("node_network_info", 1,
                          {{"address", text("address")},
                           {"adminstate", admin_up ? "up" : "down"},
                           {"broadcast", text("broadcast")},
                           {"device", device},
                           {"duplex", text("duplex")},
                           {"ifalias", text("ifalias")},
                           {"operstate", state}}));
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
