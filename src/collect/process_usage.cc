#include "collect/process_usage.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "collect/host_file.h"

namespace auscult::collect {
namespace {

constexpr double ticks_per_second = 100;  // USER_HZ
constexpr size_t max_command_bytes = 512;
constexpr uint64_t flag_kernel_thread = 0x00200000;  // PF_KTHREAD of the kernel's sched.h
constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

struct Stat {
  std::string name;
  std::string state;
  bool kernel_thread = false;
  double cpu_seconds = 0;
  int64_t start_ticks = 0;
  double rss_bytes = 0;
};

// /proc/<pid>/stat. The name is in parentheses and may itself hold blanks, newlines and
// parentheses: it ends at the last one.
std::optional<Stat> parse_stat(std::string_view text) {
  const auto open = text.find('(');
  const auto close = text.rfind(')');
  if (open == text.npos || close == text.npos || close < open) return {};
  const auto fields = words(text.substr(close + 1));
  constexpr size_t state = 0, flags = 6, user = 11, system = 12, start = 19, rss = 21;
  if (fields.size() <= rss) return {};
  const auto flag_bits = to_uint(fields[flags]);
  const auto user_ticks = to_double(fields[user]);
  const auto system_ticks = to_double(fields[system]);
  const auto start_ticks = to_int(fields[start]);
  const auto rss_pages = to_double(fields[rss]);
  if (!flag_bits || !user_ticks || !system_ticks || !start_ticks || !rss_pages) return {};
  static const auto page_bytes = static_cast<double>(::sysconf(_SC_PAGESIZE));
  return Stat{.name = std::string(text.substr(open + 1, close - open - 1)),
              .state = std::string(fields[state]),
              .kernel_thread = (*flag_bits & flag_kernel_thread) != 0,
              .cpu_seconds = (*user_ticks + *system_ticks) / ticks_per_second,
              .start_ticks = *start_ticks,
              .rss_bytes = *rss_pages * page_bytes};
}

// The number after "name: " at the start of a line.
double field(std::string_view text, std::string_view name) {
  for (const auto line : split(text, '\n')) {
    if (line.starts_with(name))
      return to_double(trim(line.substr(name.size()))).value_or(not_known);
  }
  return not_known;
}

// Arguments end in NUL bytes.
std::string read_command(const Folder& proc, const std::string& pid) {
  std::string command = proc.value((pid + "/cmdline").c_str()).value_or("");
  command.resize(std::min(command.size(), max_command_bytes));
  std::replace(command.begin(), command.end(), '\0', ' ');
  std::replace(command.begin(), command.end(), '\n', ' ');
  return std::string(trim(command));
}

// The children of kthreadd, so that hundreds of kernel threads need not be opened one by one.
// Empty where the kernel does not list them or process 2 is a process like any other (a container).
std::vector<int64_t> kernel_threads(const Host& host) {
  const auto stat = read_host_file(host, "proc/2/stat");
  const auto parsed = stat ? parse_stat(*stat) : std::nullopt;
  if (!parsed || !parsed->kernel_thread) return {};
  const auto children = read_host_file(host, "proc/2/task/2/children");
  std::vector<int64_t> pids = {2};
  for (const auto word : children ? words(*children) : std::vector<std::string_view>()) {
    if (const auto pid = to_int(word)) pids.push_back(*pid);
  }
  std::sort(pids.begin(), pids.end());
  return pids;
}

double rate(double now, double before, double seconds) {
  // Counters of I/O go back when a process takes over its children's.
  return std::isnan(now) || std::isnan(before) ? not_known : std::max(0.0, now - before) / seconds;
}

}  // namespace

std::vector<ProcessUsage> ProcessSampler::sample(std::chrono::nanoseconds elapsed) {
  const double seconds = std::max(std::chrono::duration<double>(elapsed).count(), 1e-9);
  if (boot_time_seconds_ == 0) {
    const auto stat = read_host_file(host_, "proc/stat");
    boot_time_seconds_ = stat ? field(*stat, "btime ") : 0;
    if (std::isnan(boot_time_seconds_)) boot_time_seconds_ = 0;
  }
  const auto threads = kernel_threads(host_);
  std::vector<Counters> current;
  std::vector<ProcessUsage> usages;
  const Folder proc(host_.root / "proc");
  for (const auto& entry : list_folder(host_.root / "proc")) {
    const auto pid = to_int(entry);
    if (!pid || std::binary_search(threads.begin(), threads.end(), *pid)) continue;
    // A process may end at any moment: what cannot be read is gone.
    const auto text = proc.value((entry + "/stat").c_str());
    const auto stat = text ? parse_stat(*text) : std::nullopt;
    if (!stat || stat->kernel_thread) continue;
    const auto io = proc.value((entry + "/io").c_str());
    const Counters now = {.pid = *pid,
                          .start_ticks = stat->start_ticks,
                          .cpu_seconds = stat->cpu_seconds,
                          .read_bytes = io ? field(*io, "read_bytes:") : not_known,
                          .write_bytes = io ? field(*io, "write_bytes:") : not_known,
                          .rss_bytes = stat->rss_bytes};
    current.push_back(now);
    if (!looked_) continue;
    // The same pid with another start time is another process, which counts from nothing.
    const auto found = std::lower_bound(
        previous_.begin(), previous_.end(), *pid,
        [](const Counters& counters, int64_t wanted) { return counters.pid < wanted; });
    Counters before;
    if (found != previous_.end() && found->pid == *pid && found->start_ticks == stat->start_ticks) {
      before = *found;
    }
    const double start_seconds =
        boot_time_seconds_ + static_cast<double>(stat->start_ticks) / ticks_per_second;
    usages.push_back({.pid = *pid,
                      .name = stat->name,
                      .command = options_.commands ? read_command(proc, entry) : std::string(),
                      .cpu_cores = rate(now.cpu_seconds, before.cpu_seconds, seconds),
                      .read_bytes_per_second = rate(now.read_bytes, before.read_bytes, seconds),
                      .write_bytes_per_second = rate(now.write_bytes, before.write_bytes, seconds),
                      .rss_bytes = now.rss_bytes,
                      .rss_growth_bytes_per_second = (now.rss_bytes - before.rss_bytes) / seconds,
                      .start_time_ns = static_cast<int64_t>(start_seconds * 1e9),
                      .state = stat->state});
  }
  std::sort(current.begin(), current.end(),
            [](const Counters& a, const Counters& b) { return a.pid < b.pid; });
  previous_ = std::move(current);
  looked_ = true;
  return usages;
}

}  // namespace auscult::collect
