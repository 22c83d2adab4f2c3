// probe: the state of the host in one second: facts beside the figures of the other benchmarks.

#include <algorithm>

#include "base/loop.h"
#include "base/text.h"
#include "bench/benchmark.h"
#include "bench/host.h"
#include "bench/params.h"

namespace auscult::bench {

Benchmark probe();

namespace {

void add(Run& run, std::string_view metric, std::optional<double> value) {
  if (value) run.measurements.push_back({.metric = std::string(metric), .value = *value});
}

// The first number of a file of /proc or /sys.
std::optional<double> first_number(const std::filesystem::path& path) {
  const std::string line = first_line(path);
  const auto fields = words(line);
  if (fields.empty()) return {};
  return to_double(fields.front());
}

// Of the CPU time that passed, the part spent idle while a disk had work.
std::optional<double> io_wait_ratio(const std::optional<CpuTimes>& before,
                                    const std::optional<CpuTimes>& after) {
  if (!before || !after || after->total <= before->total) return {};
  // The kernel lets iowait of a CPU go back; below nothing is nothing.
  return std::max(0.0, after->io_wait - before->io_wait) / (after->total - before->total);
}

Result<Run> run_probe(const Request& request) {
  const model::Labels params = TRY(complete(probe().defaults, request.params));
  const double seconds = TRY(number_param(params, "seconds", {0.01, 60}));
  const auto folder = request.scratch.empty() ? std::filesystem::path("/") : request.scratch;
  const auto device = block_device_of(folder, request.root);

  const auto cpu_before = cpu_times(request.root);
  const auto disk_before = device ? disk_counters_of(*device, request.root) : std::nullopt;
  Sleeper().sleep(std::chrono::nanoseconds(static_cast<int64_t>(seconds * 1e9)), {});
  const auto cpu_after = cpu_times(request.root);
  const auto disk_after = device ? disk_counters_of(*device, request.root) : std::nullopt;

  Run run{.device = "node", .params = params};
  add(run, "uptime", first_number(request.root / "proc/uptime"));
  add(run, "load1", first_number(request.root / "proc/loadavg"));
  add(run, "io_wait_ratio", io_wait_ratio(cpu_before, cpu_after));
  if (disk_before && disk_after) add(run, "io_await", await_ms(*disk_after - *disk_before));
  if (device) {
    const auto disk = whole_disk(*device, request.root);
    add(run, "block_device_rotational",
        first_number(request.root / "sys/class/block" / disk / "queue/rotational"));
  }
  return run;
}

double expected_seconds(const model::Labels& params) {
  return to_double(model::label(params, "seconds")).value_or(0);
}

}  // namespace

Benchmark probe() {
  return {.summary = "state of the host: uptime, load, waiting for disks, kind of disk",
          .metrics = {{"uptime", "s", Better::none},
                      {"load1", "1", Better::none},
                      {"io_wait_ratio", "1", Better::none},
                      {"io_await", "ms", Better::none},
                      {"block_device_rotational", "1", Better::none}},
          .preflight = {},
          .defaults = {{"seconds", "1"}},
          .run = run_probe,
          .expected_seconds = expected_seconds};
}

}  // namespace auscult::bench
