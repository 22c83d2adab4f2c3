#include "actions/device_interval.h"

#include <algorithm>

namespace auscult::actions {
namespace {

// The kernel counts busy time in whole ticks: a ratio can come out a little above 1.
double busy_ratio(const bench::DiskCounters& interval, double seconds) {
  return std::clamp(interval.busy_ms / 1000 / seconds, 0.0, 1.0);
}

Json await_of(const bench::DiskCounters& interval) {
  const auto await = bench::await_ms(interval);
  return await ? Json(*await) : Json();
}

}  // namespace

Json interval_totals(const bench::DiskCounters& before, const bench::DiskCounters& after,
                     double seconds) {
  const auto interval = after - before;
  Json json{Json::Object{}};
  json.set("device", after.device)
      .set("seconds", seconds)
      .set("reads", interval.reads)
      .set("writes", interval.writes)
      .set("read_bytes", interval.read_bytes)
      .set("write_bytes", interval.write_bytes)
      .set("busy_ratio", busy_ratio(interval, seconds))
      .set("await_ms", await_of(interval));
  return json;
}

Json interval_rates(const bench::DiskCounters& before, const bench::DiskCounters& after,
                    double seconds) {
  const auto interval = after - before;
  Json json{Json::Object{}};
  json.set("device", after.device)
      .set("busy_ratio", busy_ratio(interval, seconds))
      .set("reads_per_second", interval.reads / seconds)
      .set("writes_per_second", interval.writes / seconds)
      .set("read_bytes_per_second", interval.read_bytes / seconds)
      .set("write_bytes_per_second", interval.write_bytes / seconds)
      .set("await_ms", await_of(interval));
  return json;
}

}  // namespace auscult::actions
