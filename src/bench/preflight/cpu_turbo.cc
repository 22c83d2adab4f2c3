// cpu_turbo: is the boost of the clock switched on?
//
// A warning where it is off: the figure is true, and the machine could do more. Off can be meant
// so: without boost, figures scatter less.

#include "bench/host.h"
#include "bench/preflight.h"

namespace auscult::bench {
namespace {

PreflightFinding check(const PreflightContext& context) {
  using Verdict = PreflightFinding::Verdict;
  const auto folder = context.root / "sys/devices/system/cpu";
  const std::string no_turbo = first_line(folder / "intel_pstate/no_turbo");
  const std::string boost = first_line(folder / "cpufreq/boost");
  if (no_turbo.empty() && boost.empty()) {
    return {Verdict::no_data, "this host does not say whether the boost of the clock is on"};
  }
  if (no_turbo == "1" || boost == "0") {
    return {Verdict::warning,
            "the boost of the clock is off: compare only with runs that had it off, or write " +
                std::string(no_turbo == "1" ? "0 to intel_pstate/no_turbo" : "1 to cpufreq/boost") +
                " under /sys/devices/system/cpu"};
  }
  return {Verdict::clear, "the boost of the clock is on"};
}

}  // namespace

Preflight cpu_turbo() { return {.summary = "the boost of the CPU clock is on", .check = check}; }

}  // namespace auscult::bench
