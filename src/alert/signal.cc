#include "alert/signal.h"

#include <algorithm>
#include <map>
#include <set>

namespace auscult::alert {
namespace {

using store::Point;
using store::Series;

const std::vector<Signal> signals = {
    {.name = "block_device_misdetected_rotational",
     .title = "block device that cannot rotate but is marked rotational",
     .unit = "1",
     .rate = false,
     .group = "device",
     .numerator = {{.metric = "auscult_block_device_misdetected_rotational"}},
     .promql = "auscult_block_device_misdetected_rotational"},
    {.name = "cpu_busy_ratio",
     .title = "share of CPU time in use",
     .unit = "1",
     .numerator = {{.metric = "node_cpu_seconds_total",
                    .label = "mode",
                    .excluded = {"idle", "iowait"}}},
     .denominator = {{.metric = "node_cpu_seconds_total"}},
     .promql = "1 - sum(rate(node_cpu_seconds_total{mode=~\"idle|iowait\"}[1m])) / "
               "sum(rate(node_cpu_seconds_total[1m]))"},
    {.name = "cpu_pressure_ratio",
     .title = "share of time in which a task waited for a CPU",
     .unit = "1",
     .numerator = {{.metric = "node_pressure_cpu_waiting_seconds_total"}},
     .promql = "rate(node_pressure_cpu_waiting_seconds_total[1m])"},
    {.name = "disk_await_seconds",
     .title = "mean time of a disk request",
     .unit = "s",
     .group = "device",
     .numerator = {{.metric = "node_disk_read_time_seconds_total"},
                   {.metric = "node_disk_write_time_seconds_total"}},
     .denominator = {{.metric = "node_disk_reads_completed_total"},
                     {.metric = "node_disk_writes_completed_total"}},
     .promql = "(rate(node_disk_read_time_seconds_total[1m]) + "
               "rate(node_disk_write_time_seconds_total[1m])) / "
               "(rate(node_disk_reads_completed_total[1m]) + "
               "rate(node_disk_writes_completed_total[1m]))"},
    {.name = "disk_busy_ratio",
     .title = "share of time in which the disk had a request in flight",
     .unit = "1",
     .group = "device",
     .numerator = {{.metric = "node_disk_io_time_seconds_total"}},
     .promql = "rate(node_disk_io_time_seconds_total[1m])"},
    {.name = "disk_bytes_per_second",
     .title = "bytes read and written",
     .unit = "By/s",
     .group = "device",
     .numerator = {{.metric = "node_disk_read_bytes_total"},
                   {.metric = "node_disk_written_bytes_total"}},
     .promql = "rate(node_disk_read_bytes_total[1m]) + rate(node_disk_written_bytes_total[1m])"},
    {.name = "disk_operations_per_second",
     .title = "reads and writes completed",
     .unit = "1/s",
     .group = "device",
     .numerator = {{.metric = "node_disk_reads_completed_total"},
                   {.metric = "node_disk_writes_completed_total"}},
     .promql = "rate(node_disk_reads_completed_total[1m]) + "
               "rate(node_disk_writes_completed_total[1m])"},
    {.name = "io_pressure_ratio",
     .title = "share of time in which a task waited for I/O",
     .unit = "1",
     .numerator = {{.metric = "node_pressure_io_waiting_seconds_total"}},
     .promql = "rate(node_pressure_io_waiting_seconds_total[1m])"},
    {.name = "memory_available_bytes",
     .title = "memory that can be given out without swapping",
     .unit = "By",
     .higher_is_worse = false,
     .rate = false,
     .numerator = {{.metric = "node_memory_MemAvailable_bytes"}},
     .promql = "node_memory_MemAvailable_bytes"},
    {.name = "memory_available_ratio",
     .title = "share of memory that can be given out without swapping",
     .unit = "1",
     .higher_is_worse = false,
     .rate = false,
     .numerator = {{.metric = "node_memory_MemAvailable_bytes"}},
     .denominator = {{.metric = "node_memory_MemTotal_bytes"}},
     .promql = "node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes"},
    {.name = "memory_pressure_ratio",
     .title = "share of time in which a task waited for memory",
     .unit = "1",
     .numerator = {{.metric = "node_pressure_memory_waiting_seconds_total"}},
     .promql = "rate(node_pressure_memory_waiting_seconds_total[1m])"},
};

// Disks that are memory or a view of another disk: their busy time says nothing of their own.
bool is_virtual_disk(std::string_view device) {
  return device.starts_with("loop") || device.starts_with("ram") || device.starts_with("zram");
}

bool matches(const Term& term, const Series& series) {
  if (series.metric != term.metric) return false;
  const auto value = model::label(series.labels, term.label);
  return std::find(term.excluded.begin(), term.excluded.end(), value) == term.excluded.end();
}

using Sums = std::map<int64_t, double>;  // timestamp -> sum over series

// Adds a series, as it is or as increase since the previous point, to the sums.
void add(Sums& sums, const Series& series, bool rate) {
  const auto& points = series.points;
  for (size_t i = rate ? 1 : 0; i < points.size(); ++i) {
    const double value = rate ? points[i].value - points[i - 1].value : points[i].value;
    if (rate && value < 0) continue;  // the counter began anew
    sums[points[i].timestamp_ns] += value;
  }
}

// Seconds since the previous collection, by timestamp.
Sums elapsed_seconds(const Sums& numerator, const std::set<int64_t>& times) {
  Sums elapsed;
  int64_t previous = 0;
  for (const int64_t time : times) {
    if (previous != 0 && numerator.contains(time)) {
      elapsed[time] = static_cast<double>(time - previous) / static_cast<double>(ns_per_s);
    }
    previous = time;
  }
  return elapsed;
}

std::vector<Point> divide(const Sums& numerator, const Sums& denominator) {
  std::vector<Point> points;
  for (const auto& [time, value] : numerator) {
    const auto below = denominator.find(time);
    // No requests means no mean time of a request: a gap, not a zero.
    if (below == denominator.end() || below->second <= 0) continue;
    points.push_back({time, value / below->second});
  }
  return points;
}

std::vector<Point> evaluate_group(const Signal& signal, const std::vector<const Series*>& group) {
  Sums numerator;
  Sums denominator;
  std::set<int64_t> times;
  for (const Series* series : group) {
    for (const Point& point : series->points) times.insert(point.timestamp_ns);
    for (const Term& term : signal.numerator) {
      if (matches(term, *series)) add(numerator, *series, signal.rate);
    }
    for (const Term& term : signal.denominator) {
      if (matches(term, *series)) add(denominator, *series, signal.rate);
    }
  }
  if (!signal.denominator.empty()) return divide(numerator, denominator);
  if (signal.rate) return divide(numerator, elapsed_seconds(numerator, times));
  std::vector<Point> points;
  for (const auto& [time, value] : numerator) points.push_back({time, value});
  return points;
}

}  // namespace

const std::vector<Signal>& all_signals() { return signals; }

const Signal* find_signal(std::string_view name) {
  for (const Signal& signal : signals) {
    if (signal.name == name) return &signal;
  }
  return nullptr;
}

std::string promql_for(const Signal& signal, const std::string& node_id,
                       const std::string& device) {
  std::string selector = "node_id=\"" + node_id + "\"";
  if (!signal.group.empty() && !device.empty()) {
    selector += "," + std::string(signal.group) + "=\"" + device + "\"";
  }
  std::string text;
  std::string_view rest = signal.promql;
  constexpr std::string_view name_characters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  while (!rest.empty()) {
    const size_t length = std::min(rest.find_first_not_of(name_characters), rest.size());
    const auto word = rest.substr(0, length);
    const bool is_metric = word.starts_with("node_") || word.starts_with("auscult_");
    text += word;
    rest.remove_prefix(length);
    if (is_metric && rest.starts_with('{')) {
      text += "{" + selector + ",";
      rest.remove_prefix(1);
    } else if (is_metric) {
      text += "{" + selector + "}";
    } else if (length == 0) {
      text += rest.front();
      rest.remove_prefix(1);
    }
  }
  return text;
}

std::vector<SignalSeries> evaluate_signal(const Signal& signal, const std::vector<Series>& series) {
  std::map<std::string, std::vector<const Series*>> groups;
  for (const Series& one : series) {
    std::string device;
    if (!signal.group.empty()) device = model::label(one.labels, signal.group);
    if (is_virtual_disk(device)) continue;
    groups[device].push_back(&one);
  }
  std::vector<SignalSeries> result;
  for (const auto& [device, group] : groups) {
    auto points = evaluate_group(signal, group);
    if (!points.empty()) result.push_back({device, std::move(points)});
  }
  return result;
}

Result<std::vector<SignalSeries>> read_signal(store::Store& store, const Signal& signal,
                                              const std::string& node_id, store::TimeRange range) {
  std::set<std::string_view> metrics;
  for (const Term& term : signal.numerator) metrics.insert(term.metric);
  for (const Term& term : signal.denominator) metrics.insert(term.metric);
  std::vector<Series> all;
  for (const auto metric : metrics) {
    auto series = TRY(store.read_series(
        {.metric = std::string(metric), .node_id = node_id, .labels = {}, .range = range}));
    std::move(series.begin(), series.end(), std::back_inserter(all));
  }
  return evaluate_signal(signal, all);
}

}  // namespace auscult::alert
