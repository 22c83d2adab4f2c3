// CPU time by mode, context switches, forks, interrupts and boot time, from /proc/stat.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "collect/host_file.h"

namespace auscult::collect {
namespace {

constexpr std::string_view file = "proc/stat";
// The kernel gives these times in USER_HZ, which is 100 on every architecture it exports to.
constexpr double ticks_per_second = 100;

struct Mode {
  std::string_view metric;
  std::string_view mode;
};
// In the order of the columns. Older kernels give fewer.
constexpr std::array modes = {
    Mode{"node_cpu_seconds_total", "user"},       Mode{"node_cpu_seconds_total", "nice"},
    Mode{"node_cpu_seconds_total", "system"},     Mode{"node_cpu_seconds_total", "idle"},
    Mode{"node_cpu_seconds_total", "iowait"},     Mode{"node_cpu_seconds_total", "irq"},
    Mode{"node_cpu_seconds_total", "softirq"},    Mode{"node_cpu_seconds_total", "steal"},
    Mode{"node_cpu_guest_seconds_total", "user"}, Mode{"node_cpu_guest_seconds_total", "nice"}};
constexpr size_t min_modes = 4;  // Linux 2.4 had user, nice, system, idle

struct Total {
  std::string_view key;
  std::string_view metric;
  model::MetricKind kind;
};
constexpr std::array totals = {
    Total{"ctxt", "node_context_switches_total", model::MetricKind::counter},
    Total{"processes", "node_forks_total", model::MetricKind::counter},
    Total{"intr", "node_intr_total", model::MetricKind::counter},
    Total{"btime", "node_boot_time_seconds", model::MetricKind::gauge},
    Total{"procs_running", "node_procs_running", model::MetricKind::gauge},
    Total{"procs_blocked", "node_procs_blocked", model::MetricKind::gauge}};

Result<Ok> read_cpu_line(std::string_view cpu, std::string_view rest, size_t line,
                         model::Samples& samples) {
  const auto columns = words(rest);
  if (columns.size() < min_modes) return malformed(file, line, "too few columns");
  for (size_t i = 0; i < std::min(columns.size(), modes.size()); ++i) {
    const auto ticks = to_double(columns[i]);
    if (!ticks) return malformed(file, line, "not a number: " + std::string(columns[i]));
    samples.push_back(counter(modes[i].metric, *ticks / ticks_per_second,
                              {{"cpu", std::string(cpu)}, {"mode", std::string(modes[i].mode)}}));
  }
  return Ok{};
}

Result<model::Samples> read(const Host& host) {
  const std::string text = TRY(read_host_file(host, file));
  model::Samples samples;
  samples.reserve(64);
  size_t line_number = 0;
  for (const auto line : split(text, '\n')) {
    ++line_number;
    const auto blank = line.find(' ');
    const auto key = line.substr(0, blank);
    const auto rest = blank == line.npos ? std::string_view() : line.substr(blank);
    if (key.size() > 3 && key.starts_with("cpu")) {
      TRY(read_cpu_line(key.substr(3), rest, line_number, samples));
      continue;
    }
    for (const auto& total : totals) {
      if (key != total.key) continue;
      // Only the first number: the interrupts' line goes on with thousands of them.
      const auto trimmed = trim(rest.substr(0, 32));
      const auto value = to_double(trimmed.substr(0, trimmed.find(' ')));
      if (!value) return malformed(file, line_number, "no number after " + std::string(key));
      auto sample = gauge(total.metric, *value);
      sample.kind = total.kind;
      samples.push_back(std::move(sample));
    }
  }
  return samples;
}

}  // namespace

Collector cpu() {
  return {.summary = "CPU time by mode, context switches, forks, interrupts", .read = read};
}

}  // namespace auscult::collect
