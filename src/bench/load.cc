#include "bench/load.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace auscult::bench {
namespace {

// A figure of all cores falls by about the share that others take. Drift is looked for from some 5%
// on: 10% is worth a word, and with a quarter gone the figure is that of another machine. The look
// is short, so the bounds leave room for a timer that fires during it.
constexpr double cpu_warning_share = 0.10;
constexpr double cpu_failed_share = 0.25;

// Time with requests of others in flight. A journal that flushes now and then stays below a tenth;
// above a third, random reads queue behind someone else's.
constexpr double disk_warning_share = 0.10;
constexpr double disk_failed_share = 0.33;

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

double cpu_seconds(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

std::string percent(double ratio) { return format_number(std::round(ratio * 1000) / 10) + "%"; }

using Verdict = PreflightFinding::Verdict;

Verdict grade(double share, double warning, double failed) {
  return share >= failed ? Verdict::failed : share >= warning ? Verdict::warning : Verdict::clear;
}

}  // namespace

LoadLook look_at_load(const std::filesystem::path& root, const std::filesystem::path& scratch) {
  LoadLook look{.cpu = cpu_times(root),
                .own_cpu_seconds = cpu_seconds(RUSAGE_SELF) + cpu_seconds(RUSAGE_CHILDREN)};
  if (!scratch.empty()) {
    if (const auto device = block_device_of(scratch, root)) {
      look.disk = disk_counters_of(*device, root);
    }
  }
  return look;
}

PreflightFinding judge_load(const LoadLook& before, const LoadLook& after, double seconds) {
  if (!before.cpu || !after.cpu || after.cpu->total <= before.cpu->total || seconds <= 0) {
    return {Verdict::no_data, "/proc/stat does not tell how busy the CPUs are"};
  }
  const double total = after.cpu->total - before.cpu->total;
  const double idle = after.cpu->idle - before.cpu->idle + after.cpu->io_wait - before.cpu->io_wait;
  const double steal = after.cpu->steal - before.cpu->steal;
  const double ticks_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const double own = (after.own_cpu_seconds - before.own_cpu_seconds) * ticks_per_second;
  const double cpu_share = std::clamp((total - idle - own) / total, 0.0, 1.0);
  PreflightFinding finding{grade(cpu_share, cpu_warning_share, cpu_failed_share), ""};
  if (finding.verdict != Verdict::clear) {
    finding.message = "others use " + percent(cpu_share) + " of the CPUs";
    // Of stolen time no process here knows.
    if (steal > total * cpu_warning_share) {
      finding.message += ", of which the hypervisor gave " + percent(steal / total) + " to others";
    }
  }
  if (before.disk && after.disk) {
    const double busy = (*after.disk - *before.disk).busy_ms / 1000 / seconds;
    const Verdict disk = grade(busy, disk_warning_share, disk_failed_share);
    if (disk != Verdict::clear) {
      if (!finding.message.empty()) finding.message += "; ";
      finding.message += after.disk->device + " is busy " + percent(std::min(busy, 1.0)) +
                         " of the time for others";
      finding.verdict = std::max(finding.verdict, disk);
    }
  }
  if (finding.verdict != Verdict::clear) {
    finding.message += ": stop what runs there, or measure when the host is quiet";
  }
  return finding;
}

}  // namespace auscult::bench
