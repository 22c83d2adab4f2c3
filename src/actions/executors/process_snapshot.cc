// process_snapshot: which processes use the CPUs, the memory and the disks, over a few seconds.
//
// Params: seconds, 0.1 to 30 (default 2); top, 1 to 100 processes a list (default 10).
//
// Result: {"seconds","cpus","mem_total_bytes","mem_available_bytes","by_cpu":[process...],
//   "by_rss":[...],"by_io":[...],"devices":[{device, busy_ratio, rates, await_ms}]}; a process is
//   {pid,name,command,cpu_cores,rss_bytes,read_bytes_per_second,write_bytes_per_second,
//    rss_growth_bytes_per_second,start_time,state,self}. I/O that may not be read is null;
//   "io_readable_ratio", of all processes seen: below 1, what by_io lacks need not be idle.

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "actions/device_interval.h"
#include "actions/executor.h"
#include "base/file.h"
#include "base/loop.h"
#include "base/text.h"
#include "bench/host.h"
#include "collect/process_usage.h"

namespace auscult::actions {

Executor process_snapshot();

namespace {

constexpr double default_seconds = 2;
constexpr double least_seconds = 0.1;  // some clock ticks
constexpr double most_seconds = 30;
constexpr int64_t default_top = 10;
constexpr int64_t most_top = 100;

using collect::ProcessUsage;

// The parent, from "4711 (a (strange) name) S 1 ...": the name may hold anything, so the last
// bracket counts. 0 when the process is gone.
int64_t parent_of(int64_t pid, const std::filesystem::path& root) {
  const auto stat = read_file(root / "proc" / std::to_string(pid) / "stat");
  if (!stat) return 0;
  const auto end = stat->rfind(')');
  if (end == std::string::npos) return 0;
  const auto fields = words(std::string_view(*stat).substr(end + 1));
  return fields.size() > 1 ? to_int(fields[1]).value_or(0) : 0;
}

// Are we this process, or its ancestor?
bool is_ours(int64_t pid, const std::filesystem::path& root) {
  constexpr int most_generations = 64;  // ends also where /proc changes under our feet
  const int64_t own = ::getpid();
  for (int i = 0; i < most_generations && pid > 1; ++i) {
    if (pid == own) return true;
    pid = parent_of(pid, root);
  }
  return false;
}

double io_rate(const ProcessUsage& process) {
  return process.read_bytes_per_second + process.write_bytes_per_second;
}

Json process_json(const ProcessUsage& process, const std::filesystem::path& root) {
  Json json{Json::Object{}};
  json.set("pid", process.pid)
      .set("name", process.name)
      .set("command", process.command)
      .set("cpu_cores", process.cpu_cores)
      .set("rss_bytes", process.rss_bytes)
      .set("read_bytes_per_second", process.read_bytes_per_second)
      .set("write_bytes_per_second", process.write_bytes_per_second)
      .set("rss_growth_bytes_per_second", process.rss_growth_bytes_per_second)
      .set("start_time", format_time(process.start_time_ns))
      .set("state", process.state)
      .set("self", is_ours(process.pid, root));
  return json;
}

// The `top` processes with the largest value above zero; NaN (not readable) is no value.
Json largest(std::vector<ProcessUsage> processes,
             const std::function<double(const ProcessUsage&)>& value, int64_t top,
             const std::filesystem::path& root) {
  std::erase_if(processes, [&](const auto& process) { return !(value(process) > 0); });
  std::sort(processes.begin(), processes.end(), [&](const auto& a, const auto& b) {
    return value(a) != value(b) ? value(a) > value(b) : a.pid < b.pid;
  });
  if (processes.size() > static_cast<size_t>(top)) processes.resize(static_cast<size_t>(top));
  Json list{Json::Array{}};
  for (const auto& process : processes) list.push(process_json(process, root));
  return list;
}

// The share of the processes whose I/O may be read.
double io_readable_ratio(const std::vector<ProcessUsage>& processes) {
  const auto readable = std::count_if(processes.begin(), processes.end(), [](const auto& process) {
    return !std::isnan(io_rate(process));
  });
  return static_cast<double>(readable) / static_cast<double>(processes.size());
}

// Whole disks that have ever done anything: no empty loop devices, nothing twice.
Json devices_json(const std::vector<bench::DiskCounters>& before,
                  const std::vector<bench::DiskCounters>& after, double seconds,
                  const std::filesystem::path& root) {
  Json list{Json::Array{}};
  for (const auto& disk : after) {
    if (disk.reads + disk.writes <= 0 || bench::whole_disk(disk.device, root) != disk.device) {
      continue;
    }
    const auto earlier = std::find_if(before.begin(), before.end(),
                                      [&](const auto& one) { return one.device == disk.device; });
    if (earlier != before.end()) list.push(interval_rates(*earlier, disk, seconds));
  }
  return list;
}

Result<Json> run(const ActionRequest& request, const ExecutorContext& context) {
  const Json& params = request.params;
  const double wanted =
      params["seconds"].is_null() ? default_seconds : params["seconds"].number_or(NAN);
  if (!(wanted >= least_seconds && wanted <= std::min(most_seconds, request.limits.seconds))) {
    return Error{ErrorCode::invalid_input,
                 "'seconds' must be a number from 0.1 to 30, within the action's limit"};
  }
  const int64_t top = params["top"].is_null() ? default_top : params["top"].int_or(0);
  if (top < 1 || top > most_top || (!params["top"].is_null() && !params["top"].is_integer())) {
    return Error{ErrorCode::invalid_input, "'top' must be a whole number from 1 to 100"};
  }
  collect::ProcessSampler sampler(collect::Host{.root = context.root});
  const auto started = context.clock->monotonic();
  sampler.sample({});
  const auto disks_before = bench::disk_counters(context.root);
  Sleeper().sleep(std::chrono::nanoseconds(std::llround(wanted * 1e9)), {});
  const auto elapsed = context.clock->monotonic() - started;
  const double seconds = std::chrono::duration<double>(elapsed).count();
  if (seconds <= 0) return Error{ErrorCode::unavailable, "the clock of this node stands still"};
  const auto processes = sampler.sample(elapsed);
  const auto disks_after = bench::disk_counters(context.root);
  if (processes.empty()) {
    return Error{ErrorCode::unavailable, "/proc shows no process on this node"};
  }
  const auto memory = bench::memory(context.root);
  const auto& root = context.root;
  Json json{Json::Object{}};
  json.set("seconds", seconds)
      .set("cpus", bench::cpu_count(root))
      .set("mem_total_bytes", memory ? Json(memory->total_bytes) : Json())
      .set("mem_available_bytes", memory ? Json(memory->available_bytes) : Json())
      .set("by_cpu",
           largest(
               processes, [](const auto& process) { return process.cpu_cores; }, top, root))
      .set("by_rss",
           largest(
               processes, [](const auto& process) { return process.rss_bytes; }, top, root))
      .set("by_io", largest(processes, io_rate, top, root))
      .set("io_readable_ratio", io_readable_ratio(processes))
      .set("devices", devices_json(disks_before, disks_after, seconds, root));
  return json;
}

}  // namespace

Executor process_snapshot() {
  return {.summary = "names the processes that use the CPUs, the memory and the disks",
          .action_class = "snapshot",
          .params = {"seconds", "top"},
          .run = run};
}

}  // namespace auscult::actions
