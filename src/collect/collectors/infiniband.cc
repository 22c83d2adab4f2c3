// RDMA ports: state, rate and counters, from /sys/class/infiniband/<device>/ports/<port>.
#include <array>

#include "base/file.h"
#include "base/text.h"
#include "collect/host_file.h"

namespace auscult::collect {
namespace {

struct Counter {
  const char* file;
  std::string_view metric;
  double scale = 1;
};
constexpr double bytes_per_word = 4;  // the hardware counts data in 32-bit words
constexpr std::array counters = {
    Counter{"counters/link_downed", "node_infiniband_link_downed_total"},
    Counter{"counters/link_error_recovery", "node_infiniband_link_error_recovery_total"},
    Counter{"counters/multicast_rcv_packets", "node_infiniband_multicast_packets_received_total"},
    Counter{"counters/multicast_xmit_packets",
            "node_infiniband_multicast_packets_transmitted_total"},
    Counter{"counters/port_rcv_constraint_errors",
            "node_infiniband_port_constraint_errors_received_total"},
    Counter{"counters/port_rcv_data", "node_infiniband_port_data_received_bytes_total",
            bytes_per_word},
    Counter{"counters/port_rcv_discards", "node_infiniband_port_discards_received_total"},
    Counter{"counters/port_rcv_errors", "node_infiniband_port_errors_received_total"},
    Counter{"counters/port_rcv_packets", "node_infiniband_port_packets_received_total"},
    Counter{"counters/port_xmit_constraint_errors",
            "node_infiniband_port_constraint_errors_transmitted_total"},
    Counter{"counters/port_xmit_data", "node_infiniband_port_data_transmitted_bytes_total",
            bytes_per_word},
    Counter{"counters/port_xmit_discards", "node_infiniband_port_discards_transmitted_total"},
    Counter{"counters/port_xmit_packets", "node_infiniband_port_packets_transmitted_total"},
    Counter{"counters/port_xmit_wait", "node_infiniband_port_transmit_wait_total"},
    Counter{"counters/symbol_error", "node_infiniband_symbol_error_total"},
    Counter{"counters/unicast_rcv_packets", "node_infiniband_unicast_packets_received_total"},
    Counter{"counters/unicast_xmit_packets", "node_infiniband_unicast_packets_transmitted_total"},
    Counter{"counters_ext/port_multicast_rcv_packets",
            "node_infiniband_legacy_multicast_packets_received_total"},
    Counter{"counters_ext/port_multicast_xmit_packets",
            "node_infiniband_legacy_multicast_packets_transmitted_total"},
    Counter{"counters_ext/port_rcv_data_64", "node_infiniband_legacy_data_received_bytes_total",
            bytes_per_word},
    Counter{"counters_ext/port_rcv_packets_64", "node_infiniband_legacy_packets_received_total"},
    Counter{"counters_ext/port_unicast_rcv_packets",
            "node_infiniband_legacy_unicast_packets_received_total"},
    Counter{"counters_ext/port_unicast_xmit_packets",
            "node_infiniband_legacy_unicast_packets_transmitted_total"},
    Counter{"counters_ext/port_xmit_data_64", "node_infiniband_legacy_data_transmitted_bytes_total",
            bytes_per_word},
    Counter{"counters_ext/port_xmit_packets_64",
            "node_infiniband_legacy_packets_transmitted_total"}};

// "4: ACTIVE" -> 4; "40 Gb/sec (4X QDR)" -> 40.
std::optional<double> leading_number(const std::string& text) {
  return to_double(std::string_view(text).substr(0, text.find_first_of(": ")));
}

void add_port(const Folder& port, const model::Labels& labels, model::Samples& samples) {
  const auto add = [&](const char* file, std::string_view metric, double scale) {
    const auto text = port.value(file);
    const auto value = text ? leading_number(*text) : std::nullopt;
    if (value) samples.push_back(gauge(metric, *value * scale, labels));
  };
  add("state", "node_infiniband_state_id", 1);
  add("phys_state", "node_infiniband_physical_state_id", 1);
  constexpr double bytes_per_gigabit = 125'000'000;
  add("rate", "node_infiniband_rate_bytes_per_second", bytes_per_gigabit);
  for (const auto& each : counters) {
    // A port without performance management says "N/A (no PMA)".
    if (const auto value = port.number(each.file)) {
      samples.push_back(counter(each.metric, *value * each.scale, labels));
    }
  }
}

Result<model::Samples> read(const Host& host) {
  model::Samples samples;
  const auto folder = host.root / "sys/class/infiniband";
  for (const auto& device : list_folder(folder)) {
    const Folder of_device(folder / device);
    const auto text = [&](const char* file) { return of_device.value(file).value_or(""); };
    samples.push_back(gauge("node_infiniband_info", 1,
                            {{"board_id", text("board_id")},
                             {"device", device},
                             {"firmware_version", text("fw_ver")},
                             {"hca_type", text("hca_type")}}));
    for (const auto& port : list_folder(folder / device / "ports")) {
      add_port(Folder(folder / device / "ports" / port), {{"device", device}, {"port", port}},
               samples);
    }
  }
  return samples;
}

}  // namespace

Collector infiniband() { return {.summary = "RDMA ports: state, rate, counters", .read = read}; }

}  // namespace auscult::collect
