// Pressure stall information: how long tasks waited for CPU, memory and I/O, from /proc/pressure.
#include <array>

#include "base/text.h"
#include "collect/host_file.h"

namespace auscult::collect {
namespace {

struct Stall {
  std::string_view file;
  std::string_view kind;  // some: at least one task waits; full: all of them do
  std::string_view metric;
};
// The kernel's "full" line for the CPU is always zero at this level, so it is left out.
constexpr std::array stalls = {
    Stall{"proc/pressure/cpu", "some", "node_pressure_cpu_waiting_seconds_total"},
    Stall{"proc/pressure/io", "some", "node_pressure_io_waiting_seconds_total"},
    Stall{"proc/pressure/io", "full", "node_pressure_io_stalled_seconds_total"},
    Stall{"proc/pressure/memory", "some", "node_pressure_memory_waiting_seconds_total"},
    Stall{"proc/pressure/memory", "full", "node_pressure_memory_stalled_seconds_total"},
    Stall{"proc/pressure/irq", "full", "node_pressure_irq_stalled_seconds_total"}};

Result<model::Samples> read(const Host& host) {
  model::Samples samples;
  std::string_view file;
  std::string text;
  for (const auto& stall : stalls) {
    if (stall.file != file) {
      file = stall.file;
      auto content = read_host_file(host, file);
      // A kernel booted with psi=0 has the files and refuses to read them.
      text = content ? *std::move(content) : std::string();
    }
    size_t line_number = 0;
    for (const auto line : split(text, '\n')) {
      ++line_number;
      if (!line.starts_with(stall.kind)) continue;
      const auto total = line.find("total=");
      const auto microseconds =
          total == line.npos ? std::nullopt : to_double(trim(line.substr(total + 6)));
      if (!microseconds) return malformed(file, line_number, "no total");
      samples.push_back(counter(stall.metric, *microseconds / 1000.0 / 1000.0));
    }
  }
  return samples;
}

}  // namespace

Collector pressure() { return {.summary = "pressure stall information", .read = read}; }

}  // namespace auscult::collect
