// Traffic, errors and drops of network interfaces, from /proc/net/dev.
#include <array>

#include "base/text.h"
#include "collect/host_file.h"

namespace auscult::collect {
namespace {

constexpr std::string_view file = "proc/net/dev";
// In the order of the columns.
constexpr std::array<std::string_view, 16> metrics = {
    "node_network_receive_bytes_total",      "node_network_receive_packets_total",
    "node_network_receive_errs_total",       "node_network_receive_drop_total",
    "node_network_receive_fifo_total",       "node_network_receive_frame_total",
    "node_network_receive_compressed_total", "node_network_receive_multicast_total",
    "node_network_transmit_bytes_total",     "node_network_transmit_packets_total",
    "node_network_transmit_errs_total",      "node_network_transmit_drop_total",
    "node_network_transmit_fifo_total",      "node_network_transmit_colls_total",
    "node_network_transmit_carrier_total",   "node_network_transmit_compressed_total"};
constexpr size_t heading_lines = 2;

Result<model::Samples> read(const Host& host) {
  const std::string text = TRY(read_host_file(host, file));
  model::Samples samples;
  samples.reserve(64);
  size_t line_number = 0;
  for (const auto line : split(text, '\n')) {
    if (++line_number <= heading_lines || trim(line).empty()) continue;
    // The last colon: an alias is called "eth0:1".
    const auto colon = line.rfind(':');
    if (colon == line.npos) return malformed(file, line_number, "no colon");
    const std::string device(trim(line.substr(0, colon)));
    const auto columns = words(line.substr(colon + 1));
    if (columns.size() < metrics.size()) return malformed(file, line_number, "too few columns");
    for (size_t i = 0; i < metrics.size(); ++i) {
      const auto value = to_double(columns[i]);
      if (!value) {
        return malformed(file, line_number, "not a number: " + std::string(columns[i]));
      }
      samples.push_back(counter(metrics[i], *value, {{"device", device}}));
    }
  }
  return samples;
}

}  // namespace

Collector netdev() { return {.summary = "network traffic, errors, drops", .read = read}; }

}  // namespace auscult::collect
