// cpu_governor: does every CPU run at the frequency it can?
//
// A warning, not a failure: a benchmark that keeps the cores busy gets their full speed from most
// governors after some milliseconds, but its beginning, and short work, is slower and scatters.

#include <map>

#include "base/file.h"
#include "base/text.h"
#include "bench/host.h"
#include "bench/preflight.h"

namespace auscult::bench {
namespace {

bool is_cpu(const std::string& name) {
  return name.starts_with("cpu") && to_uint(std::string_view(name).substr(3)).has_value();
}

PreflightFinding check(const PreflightContext& context) {
  using Verdict = PreflightFinding::Verdict;
  const auto folder = context.root / "sys/devices/system/cpu";
  int n_cpus = 0;
  std::map<std::string, int> others;  // governor -> CPUs that have it
  for (const auto& cpu : list_folder(folder)) {
    if (!is_cpu(cpu)) continue;
    const std::string governor = first_line(folder / cpu / "cpufreq/scaling_governor");
    if (governor.empty()) continue;
    ++n_cpus;
    if (governor != "performance") ++others[governor];
  }
  if (n_cpus == 0) {
    return {
        Verdict::no_data,
        "this host has no cpufreq (a virtual machine, or fixed clocks): the frequency is decided "
        "elsewhere"};
  }
  if (others.empty()) return {Verdict::clear, "all CPUs use the governor performance"};
  std::string list;
  for (const auto& [governor, count] : others) {
    list += (list.empty() ? "" : ", ") + std::to_string(count) + " of " + std::to_string(n_cpus) +
            " CPUs use the governor " + governor;
  }
  return {Verdict::warning, list + ": set performance (deploy/ansible/cpu-governor.yml)"};
}

}  // namespace

Preflight cpu_governor() {
  return {.summary = "all CPUs use the frequency governor 'performance'", .check = check};
}

}  // namespace auscult::bench
