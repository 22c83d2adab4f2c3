#include "collect/collector.h"

#include "base/clock.h"
#include "collect/host_file.h"

namespace auscult::collect {

Collection collect_all(const Host& host, const model::Tags& tags, int64_t now_ns) {
  Collection collection;
  static const auto collectors = all_collectors();
  for (const auto& [name, collector] : collectors) {
    const auto begin = system_clock().monotonic();
    auto samples = collector.read(host);
    const std::chrono::duration<double> took = system_clock().monotonic() - begin;
    if (samples) {
      std::move(samples->begin(), samples->end(), std::back_inserter(collection.samples));
    } else {
      ++collection.failures;
      collection.errors.push_back(std::string(name) + ": " + samples.error().message);
    }
    const model::Labels label = {{"collector", std::string(name)}};
    collection.samples.push_back(gauge("auscult_collector_success", samples ? 1 : 0, label));
    collection.samples.push_back(gauge("auscult_collector_duration_seconds", took.count(), label));
  }
  if (host.root == "/") {
    collection.samples.push_back(
        gauge("node_time_seconds", static_cast<double>(now_ns) / ns_per_s));
  }
  for (auto& sample : collection.samples) {
    sample.tags = tags;
    sample.timestamp_ns = now_ns;
  }
  return collection;
}

}  // namespace auscult::collect
