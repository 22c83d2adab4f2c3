// Load: how much of the host others use, from two looks at /proc.
#pragma once

#include <filesystem>
#include <string>

#include "bench/host.h"
#include "bench/preflight.h"

namespace auscult::bench {

struct LoadLook {
  std::optional<CpuTimes> cpu;
  double own_cpu_seconds = 0;  // of this process and the children it has waited for
  std::optional<DiskCounters> disk;
};
LoadLook look_at_load(const std::filesystem::path& root, const std::filesystem::path& scratch);

// clear, warning, failed by the bounds in load.cc; no_data when no CPU time passed between.
PreflightFinding judge_load(const LoadLook& before, const LoadLook& after, double seconds);

}  // namespace auscult::bench
