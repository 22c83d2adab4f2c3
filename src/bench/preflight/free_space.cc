// free_space: does the file fit, with room to spare?
//
// Failed when it does not fit: there will be no figure. A warning on a nearly full disk: SSDs and
// most file systems write more slowly there, and that is true of the disk as it is.

#include <system_error>

#include "base/text.h"
#include "bench/preflight.h"

namespace auscult::bench {
namespace {

// Others must be able to go on writing while the file is there.
constexpr int64_t margin_bytes = int64_t{256} << 20U;
constexpr double nearly_full_share = 0.95;

PreflightFinding check(const PreflightContext& context) {
  using Verdict = PreflightFinding::Verdict;
  if (context.scratch.empty()) return {Verdict::clear, "nothing is written"};
  // The scratch folder itself is made later: its nearest ancestor lies on the same file system.
  std::error_code error;
  auto folder = std::filesystem::absolute(context.scratch, error);
  while (!std::filesystem::exists(folder, error) && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  const auto space = std::filesystem::space(folder, error);
  if (error) return {Verdict::no_data, folder.string() + ": " + error.message()};
  const auto available = static_cast<double>(space.available);
  const auto capacity = static_cast<double>(space.capacity);
  const auto needed = static_cast<double>(context.scratch_bytes + margin_bytes);
  if (available < needed) {
    return {Verdict::failed, folder.string() + " has " + format_bytes(available) + " free, and " +
                                 format_bytes(needed) +
                                 " are needed: free some, or give a smaller size"};
  }
  if (capacity > 0 && available < (1 - nearly_full_share) * capacity) {
    return {Verdict::warning, folder.string() + " is nearly full (" + format_bytes(available) +
                                  " of " + format_bytes(capacity) +
                                  " free): disks write more slowly then"};
  }
  return {Verdict::clear, format_bytes(available) + " free"};
}

}  // namespace

Preflight free_space() {
  return {.summary = "the scratch folder has room for the file", .check = check};
}

}  // namespace auscult::bench
