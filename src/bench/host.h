// Host facts that benchmarks and preflight need, from <root>/proc and <root>/sys.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace auscult::bench {

// Where a folder lies.
struct Mount {
  std::string point;          // "/", "/data"
  std::string file_system;    // ext4, tmpfs, ...
  std::string source;         // /dev/nvme0n1p2, may be anything
  std::string device_number;  // "259:2"
};
// The mount that holds `folder` (which need not exist yet), from proc/self/mountinfo.
std::optional<Mount> mount_of(const std::filesystem::path& folder,
                              const std::filesystem::path& root);

// The name in /proc/diskstats of the block device under a folder: nvme0n1p2; nothing for tmpfs,
// network file systems and the like.
std::optional<std::string> block_device_of(const std::filesystem::path& folder,
                                           const std::filesystem::path& root);

// The disk that a partition belongs to; a disk is itself.
std::string whole_disk(const std::string& block_device, const std::filesystem::path& root);

// One line of /proc/diskstats, cumulative since boot.
struct DiskCounters {
  std::string device;
  double reads = 0;
  double writes = 0;
  double read_bytes = 0;
  double write_bytes = 0;
  double read_ms = 0;   // summed over requests
  double write_ms = 0;  // as above
  double busy_ms = 0;   // time with at least one request in flight
};
std::vector<DiskCounters> disk_counters(const std::filesystem::path& root);
std::optional<DiskCounters> disk_counters_of(std::string_view device,
                                             const std::filesystem::path& root);
DiskCounters operator-(const DiskCounters& after, const DiskCounters& before);

// Mean time of a request in ms, from counters over an interval; nothing when there was none.
std::optional<double> await_ms(const DiskCounters& interval);

// Jiffies summed over all CPUs since boot, from proc/stat.
struct CpuTimes {
  double total = 0;
  double idle = 0;
  double io_wait = 0;  // idle too, while a disk has work
  double steal = 0;    // taken by other guests of the same machine
};
std::optional<CpuTimes> cpu_times(const std::filesystem::path& root);
int cpu_count(const std::filesystem::path& root);  // online, from proc/stat; at least 1

struct Memory {
  int64_t total_bytes = 0;
  int64_t available_bytes = 0;
};
std::optional<Memory> memory(const std::filesystem::path& root);

// Size of the last-level cache of CPU 0; nothing where sysfs does not say.
std::optional<int64_t> last_level_cache_bytes(const std::filesystem::path& root);

// First line of a file without blanks around it; empty when it cannot be read.
std::string first_line(const std::filesystem::path& path);

}  // namespace auscult::bench
