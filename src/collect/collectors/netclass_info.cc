// What a network interface is: addresses, ids, kind, from /sys/class/net.
//
// Beside netclass because these facts hardly change and cost as much to read as those that do.
#include <array>

#include "base/file.h"
#include "collect/host_file.h"

namespace auscult::collect {
namespace {

struct Attribute {
  const char* file;
  std::string_view metric;
};
constexpr std::array attributes = {
    Attribute{"addr_assign_type", "node_network_address_assign_type"},
    Attribute{"dev_id", "node_network_device_id"},
    Attribute{"ifindex", "node_network_iface_id"},
    Attribute{"iflink", "node_network_iface_link"},
    Attribute{"link_mode", "node_network_iface_link_mode"},
    Attribute{"name_assign_type", "node_network_name_assign_type"},
    Attribute{"netdev_group", "node_network_net_dev_group"},
    Attribute{"type", "node_network_protocol_type"}};

void read_interface(const Folder& folder, const std::string& device, model::Samples& samples) {
  for (const auto& attribute : attributes) {
    const auto value = folder.number(attribute.file);
    if (value) samples.push_back(gauge(attribute.metric, *value, {{"device", device}}));
  }
  constexpr unsigned flag_up = 1;  // IFF_UP
  const bool admin_up = (static_cast<unsigned>(folder.number("flags").value_or(0)) & flag_up) != 0;
  const auto text = [&](const char* name) { return folder.value(name).value_or(""); };
  samples.push_back(gauge("node_network_info", 1,
                          {{"address", text("address")},
                           {"adminstate", admin_up ? "up" : "down"},
                           {"broadcast", text("broadcast")},
                           {"device", device},
                           {"duplex", text("duplex")},
                           {"ifalias", text("ifalias")},
                           {"operstate", text("operstate")}}));
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

Collector netclass_info() {
  return {.summary = "what each network interface is",
          .period = std::chrono::seconds(60),
          .read = read};
}

}  // namespace auscult::collect
