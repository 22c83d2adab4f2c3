#include "bench/host.h"

#include <algorithm>
#include <cmath>

#include "base/file.h"
#include "base/text.h"

namespace auscult::bench {
namespace {

namespace fs = std::filesystem;

// Of what is in diskstats: the kernel counts in sectors of 512 bytes, whatever the disk has.
constexpr double sector_bytes = 512;

std::string read_or_empty(const fs::path& path) {
  auto content = read_file(path);
  return content ? *std::move(content) : std::string();
}

// mountinfo writes a blank as \040, and so on.
std::string unescape(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      const int code = (text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0');
      plain += static_cast<char>(code);
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// "27 1 254:0 / /data rw,relatime shared:1 - ext4 /dev/vda rw"
std::optional<Mount> parse_mount(std::string_view line) {
  const auto fields = words(line);
  const auto dash = std::find(fields.begin(), fields.end(), "-");
  if (fields.size() < 6 || fields.end() - dash < 3) return {};
  return Mount{.point = unescape(fields[4]),
               .file_system = std::string(dash[1]),
               .source = unescape(dash[2]),
               .device_number = std::string(fields[2])};
}

bool holds(const std::string& point, const std::string& folder) {
  if (point == "/") return true;
  return folder.starts_with(point) &&
         (folder.size() == point.size() || folder[point.size()] == '/');
}

double field(const std::vector<std::string_view>& fields, size_t index) {
  return index < fields.size() ? to_double(fields[index]).value_or(0) : 0;
}

// "MemTotal:       24683656 kB"
int64_t meminfo_bytes(std::string_view text, std::string_view key) {
  for (const auto line : split(text, '\n')) {
    const auto fields = words(line);
    if (fields.size() >= 2 && fields[0] == key) return to_int(fields[1]).value_or(0) * 1024;
  }
  return 0;
}

}  // namespace

std::optional<Mount> mount_of(const fs::path& folder, const fs::path& root) {
  std::error_code error;
  const fs::path canonical = fs::weakly_canonical(fs::absolute(folder, error), error);
  const std::string wanted = error ? folder.string() : canonical.string();
  std::optional<Mount> best;
  const std::string text = read_or_empty(root / "proc/self/mountinfo");
  for (const auto line : split(text, '\n')) {
    auto mount = parse_mount(line);
    if (!mount || !holds(mount->point, wanted)) continue;
    // A later mount on the same point hides the earlier one.
    if (!best || mount->point.size() >= best->point.size()) best = std::move(mount);
  }
  return best;
}

std::optional<std::string> block_device_of(const fs::path& folder, const fs::path& root) {
  const auto mount = mount_of(folder, root);
  if (!mount) return {};
  const std::string source = fs::path(mount->source).filename().string();
  const std::string text = read_or_empty(root / "proc/diskstats");
  for (const auto line : split(text, '\n')) {
    const auto fields = words(line);
    if (fields.size() < 14) continue;
    // btrfs and overlayfs have device numbers of their own: there the source's name decides.
    const std::string number = std::string(fields[0]) + ":" + std::string(fields[1]);
    if (number == mount->device_number ||
        (mount->source.starts_with("/dev/") && fields[2] == source)) {
      return std::string(fields[2]);
    }
  }
  return {};
}

std::string whole_disk(const std::string& block_device, const fs::path& root) {
  std::error_code error;
  const fs::path link = root / "sys/class/block" / block_device;
  if (!fs::exists(link / "partition", error)) return block_device;
  const fs::path target = fs::canonical(link, error);
  if (error) return block_device;
  return target.parent_path().filename().string();
}

std::vector<DiskCounters> disk_counters(const fs::path& root) {
  std::vector<DiskCounters> disks;
  const std::string text = read_or_empty(root / "proc/diskstats");
  for (const auto line : split(text, '\n')) {
    const auto fields = words(line);
    if (fields.size() < 14) continue;
    disks.push_back({.device = std::string(fields[2]),
                     .reads = field(fields, 3),
                     .writes = field(fields, 7),
                     .read_bytes = field(fields, 5) * sector_bytes,
                     .write_bytes = field(fields, 9) * sector_bytes,
                     .read_ms = field(fields, 6),
                     .write_ms = field(fields, 10),
                     .busy_ms = field(fields, 12)});
  }
  return disks;
}

std::optional<DiskCounters> disk_counters_of(std::string_view device, const fs::path& root) {
  for (auto& disk : disk_counters(root)) {
    if (disk.device == device) return std::move(disk);
  }
  return {};
}

DiskCounters operator-(const DiskCounters& after, const DiskCounters& before) {
  return {.device = after.device,
          .reads = after.reads - before.reads,
          .writes = after.writes - before.writes,
          .read_bytes = after.read_bytes - before.read_bytes,
          .write_bytes = after.write_bytes - before.write_bytes,
          .read_ms = after.read_ms - before.read_ms,
          .write_ms = after.write_ms - before.write_ms,
          .busy_ms = after.busy_ms - before.busy_ms};
}

std::optional<double> await_ms(const DiskCounters& interval) {
  const double requests = interval.reads + interval.writes;
  if (requests <= 0) return {};
  return (interval.read_ms + interval.write_ms) / requests;
}

std::optional<CpuTimes> cpu_times(const fs::path& root) {
  const std::string text = read_or_empty(root / "proc/stat");
  // cpu user nice system idle iowait irq softirq steal guest guest_nice; guest is inside user.
  const auto fields = words(split(text, '\n').front());
  if (fields.size() < 8 || fields[0] != "cpu") return {};
  CpuTimes times{.idle = field(fields, 4), .io_wait = field(fields, 5), .steal = field(fields, 8)};
  for (size_t i = 1; i <= 8; ++i) times.total += field(fields, i);
  return times;
}

int cpu_count(const fs::path& root) {
  int count = 0;
  const std::string text = read_or_empty(root / "proc/stat");
  for (const auto line : split(text, '\n')) {
    if (line.starts_with("cpu") && line.size() > 3 && line[3] != ' ') ++count;
  }
  return std::max(count, 1);
}

std::optional<Memory> memory(const fs::path& root) {
  const std::string text = read_or_empty(root / "proc/meminfo");
  const Memory found{.total_bytes = meminfo_bytes(text, "MemTotal:"),
                     .available_bytes = meminfo_bytes(text, "MemAvailable:")};
  if (found.total_bytes <= 0) return {};
  return found;
}

std::optional<int64_t> last_level_cache_bytes(const fs::path& root) {
  const fs::path folder = root / "sys/devices/system/cpu/cpu0/cache";
  std::optional<int64_t> largest;
  for (const auto& index : list_folder(folder)) {
    std::string text = first_line(folder / index / "size");  // "491520K"
    if (!text.ends_with('K')) continue;
    text.pop_back();
    const auto kib = to_int(text);
    if (kib && *kib * 1024 > largest.value_or(0)) largest = *kib * 1024;
  }
  return largest;
}

std::string first_line(const fs::path& path) {
  const std::string text = read_or_empty(path);
  return std::string(trim(split(text, '\n').front()));
}

}  // namespace auscult::bench
