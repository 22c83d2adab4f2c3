#include "collect/collector.h"

#include <iterator>

#include "base/clock.h"
#include "collect/host_file.h"

namespace auscult::collect {

namespace {

using Table = std::vector<Named<Collector>>;

const Table& table() {
  static const Table collectors = all_collectors();
  return collectors;
}

void run(const Named<Collector>& row, const Host& host, Collection& collection) {
  const auto begin = system_clock().monotonic();
  auto samples = row.value.read(host);
  const std::chrono::duration<double> took = system_clock().monotonic() - begin;
  if (samples) {
    std::move(samples->begin(), samples->end(), std::back_inserter(collection.samples));
  } else {
    ++collection.failures;
    collection.errors.push_back(std::string(row.name) + ": " + samples.error().message);
  }
  const model::Labels label = {{"collector", std::string(row.name)}};
  collection.samples.push_back(gauge("auscult_collector_success", samples ? 1 : 0, label));
  collection.samples.push_back(gauge("auscult_collector_duration_seconds", took.count(), label));
}

Collection stamped(Collection collection, const Host& host, const model::Tags& tags,
                   int64_t now_ns) {
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

}  // namespace

Collection collect_all(const Host& host, const model::Tags& tags, int64_t now_ns) {
  Collection collection;
  for (const auto& row : table()) run(row, host, collection);
  return stamped(std::move(collection), host, tags, now_ns);
}

Collection Schedule::collect(const Host& host, const model::Tags& tags, int64_t now_ns,
                             std::chrono::nanoseconds now) {
  Collection collection;
  collection.samples.reserve(1024);
  Host kept = host;
  // A recorded tree may be written anew; what the kernel shows stays the same file.
  if (host.root == "/") kept.open_files = &open_files_;
  for (const auto& row : table()) {
    const auto [ran, first] = ran_at_.try_emplace(row.name, now);
    // A tenth early is in time: a beat that comes a little sooner must not cost a whole one.
    if (!first && now - ran->second < row.value.period * 9 / 10) continue;
    ran->second = now;
    run(row, kept, collection);
  }
  return stamped(std::move(collection), host, tags, now_ns);
}

}  // namespace auscult::collect
