#include "collect/disk_await.h"

#include <string_view>

#include "collect/host_file.h"

namespace auscult::collect {

model::Samples DiskAwait::update(const model::Samples& samples) {
  std::map<std::string, Totals> now;
  const model::Sample* stamp = nullptr;
  for (const auto& sample : samples) {
    const std::string_view metric = sample.metric;
    if (!metric.starts_with("node_disk_")) continue;
    double Totals::*total = nullptr;
    if (metric == "node_disk_reads_completed_total" ||
        metric == "node_disk_writes_completed_total") {
      total = &Totals::operations;
    } else if (metric == "node_disk_read_time_seconds_total" ||
               metric == "node_disk_write_time_seconds_total") {
      total = &Totals::seconds;
    } else {
      continue;
    }
    now[std::string(model::label(sample.labels, "device"))].*total += sample.value;
    stamp = &sample;
  }
  model::Samples awaits;
  for (const auto& [device, totals] : now) {
    const auto before = previous_.find(device);
    if (before == previous_.end()) continue;
    const double operations = totals.operations - before->second.operations;
    const double seconds = totals.seconds - before->second.seconds;
    if (operations <= 0 || seconds < 0) continue;
    auto sample = gauge("auscult_disk_await_seconds", seconds / operations, {{"device", device}});
    sample.timestamp_ns = stamp->timestamp_ns;
    sample.tags = stamp->tags;
    awaits.push_back(std::move(sample));
  }
  previous_ = std::move(now);
  return awaits;
}

}  // namespace auscult::collect
