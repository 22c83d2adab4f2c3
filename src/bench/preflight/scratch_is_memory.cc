// scratch_is_memory: is the "disk" in truth the host's memory?
//
// Failed: the figure would be that of memory, a hundred times too good.

#include <algorithm>
#include <array>

#include "bench/host.h"
#include "bench/preflight.h"

namespace auscult::bench {
namespace {

constexpr std::array<std::string_view, 3> memory_file_systems = {"tmpfs", "ramfs", "devtmpfs"};
constexpr std::array<std::string_view, 3> memory_devices = {"zram", "ram", "pmem"};

bool is_memory_device(std::string_view device) {
  // "ram0", not "rampart": the name and a number. pmem keeps its data, at the speed of memory.
  return std::any_of(memory_devices.begin(), memory_devices.end(), [&](std::string_view name) {
    return device.starts_with(name) && device.size() > name.size() && device[name.size()] >= '0' &&
           device[name.size()] <= '9';
  });
}

PreflightFinding check(const PreflightContext& context) {
  using Verdict = PreflightFinding::Verdict;
  if (context.scratch.empty()) return {Verdict::clear, "nothing is written"};
  const auto mount = mount_of(context.scratch, context.root);
  if (!mount) return {Verdict::no_data, "/proc/self/mountinfo does not tell where the folder lies"};
  const auto& kind = mount->file_system;
  const bool is_memory_file_system =
      std::find(memory_file_systems.begin(), memory_file_systems.end(), kind) !=
      memory_file_systems.end();
  const auto device = block_device_of(context.scratch, context.root);
  if (is_memory_file_system || (device && is_memory_device(*device))) {
    return {Verdict::failed, context.scratch.string() + " lies on " + mount->point + ", which is " +
                                 (is_memory_file_system ? kind : *device) +
                                 ": memory, not a disk; give a scratch folder on the disk"};
  }
  return {Verdict::clear, mount->point + " is " + kind};
}

}  // namespace

Preflight scratch_is_memory() {
  return {.summary = "the scratch folder lies on a disk, not in memory", .check = check};
}

}  // namespace auscult::bench
