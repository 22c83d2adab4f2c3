// I/O of block devices, from /proc/diskstats.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "collect/disk_name.h"
#include "collect/host_file.h"

namespace auscult::collect {
namespace {

constexpr std::string_view file = "proc/diskstats";
constexpr double bytes_per_sector = 512;  // whatever the device's own sector is
constexpr double seconds_per_ms = 0.001;

struct Column {
  std::string_view metric;
  double scale = 1;
  model::MetricKind kind = model::MetricKind::counter;
};
// The columns after major, minor and name. Kernels before 4.18 have no discards, before 5.5 no
// flushes.
constexpr std::array columns = {
    Column{"node_disk_reads_completed_total"},
    Column{"node_disk_reads_merged_total"},
    Column{"node_disk_read_bytes_total", bytes_per_sector},
    Column{"node_disk_read_time_seconds_total", seconds_per_ms},
    Column{"node_disk_writes_completed_total"},
    Column{"node_disk_writes_merged_total"},
    Column{"node_disk_written_bytes_total", bytes_per_sector},
    Column{"node_disk_write_time_seconds_total", seconds_per_ms},
    Column{"node_disk_io_now", 1, model::MetricKind::gauge},
    Column{"node_disk_io_time_seconds_total", seconds_per_ms},
    Column{"node_disk_io_time_weighted_seconds_total", seconds_per_ms},
    Column{"node_disk_discards_completed_total"},
    Column{"node_disk_discards_merged_total"},
    Column{"node_disk_discarded_sectors_total"},
    Column{"node_disk_discard_time_seconds_total", seconds_per_ms},
    Column{"node_disk_flush_requests_total"},
    Column{"node_disk_flush_requests_time_seconds_total", seconds_per_ms}};
constexpr size_t min_columns = 11;
constexpr size_t columns_before = 3;

Result<model::Samples> read(const Host& host) {
  const std::string text = TRY(read_host_file(host, file));
  model::Samples samples;
  samples.reserve(64);
  size_t line_number = 0;
  for (const auto line : split(text, '\n')) {
    ++line_number;
    const auto fields = words(line);
    if (fields.empty()) continue;
    if (fields.size() < columns_before + min_columns) {
      return malformed(file, line_number, "too few columns");
    }
    if (is_minor_disk(fields[2])) continue;
    for (size_t i = 0; i < std::min(columns.size(), fields.size() - columns_before); ++i) {
      const auto value = to_double(fields[i + columns_before]);
      if (!value) return malformed(file, line_number, "not a number: " + std::string(fields[2]));
      auto sample = counter(columns[i].metric, *value * columns[i].scale,
                            {{"device", std::string(fields[2])}});
      sample.kind = columns[i].kind;
      samples.push_back(std::move(sample));
    }
  }
  return samples;
}

}  // namespace

Collector diskstats() { return {.summary = "disk reads, writes, busy time, queue", .read = read}; }

}  // namespace auscult::collect
