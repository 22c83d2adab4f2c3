// Illness: makes this host ill for the demo, for real and within bounds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"

namespace auscult::cli {

struct IllnessOptions {
  std::string kind;               // disk, cpu, memory
  std::filesystem::path scratch;  // disk: where its file lies; at most max_disk_bytes
  double seconds = 150;           // then it ends by itself
};

inline constexpr int64_t max_disk_bytes = int64_t{512} << 20U;

// The memory that stays available whatever the illness does: 10% of the total or 2 GiB, whichever
// is more.
double memory_floor_bytes(double total_bytes);

// Blocks until the time is over or SIGTERM comes. Its file is unlinked at the start, so that
// nothing is left behind even after SIGKILL.
Result<Ok> be_ill(const IllnessOptions& options);

}  // namespace auscult::cli
