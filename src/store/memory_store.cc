#include "store/memory_store.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"
#include "model/series.h"
#include "store/group.h"

namespace auscult::store {
namespace {

bool inside(int64_t time_ns, TimeRange range) {
  return time_ns >= range.begin_ns && time_ns < range.end_ns;
}

bool fits(const std::string& asked, const std::string& value) {
  return asked.empty() || asked == value;
}

template <typename T>
void append(std::vector<T>& to, std::vector<T>& from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

}  // namespace

void MemoryStore::write(Batch batch, std::function<void(Result<Ok>)> done) {
  if (auto made = make_points(batch, series_); !made) return done(std::move(made));
  std::optional<Error> failure;
  {
    const std::lock_guard lock(mutex_);
    failure = failure_;
    if (!failure) {
      auto samples = model::to_samples(batch.points);
      append(all_.samples, samples);
      hot_.append(batch.points);
      append(all_.logs, batch.logs);
      append(all_.spans, batch.spans);
      append(all_.results, batch.results);
      append(all_.events, batch.events);
      append(all_.sync_positions, batch.sync_positions);
    }
  }
  if (failure) {
    done(*failure);
  } else {
    done(Ok{});
  }
}

Result<std::vector<Series>> MemoryStore::read_series(const SeriesQuery& query) {
  const std::lock_guard lock(mutex_);
  std::map<uint64_t, Series> found;
  for (const auto& sample : all_.samples) {
    const bool labels_fit = std::all_of(
        query.labels.begin(), query.labels.end(),
        [&](const auto& want) { return model::label(sample.labels, want.first) == want.second; });
    if (sample.metric != query.metric || !fits(query.node_id, sample.tags.node_id) || !labels_fit ||
        !inside(sample.timestamp_ns, query.range)) {
      continue;
    }
    Series& series = found[model::series_id(model::series_of(sample))];
    series.metric = sample.metric;
    series.labels = sample.labels;
    series.tags = sample.tags;
    series.points.push_back({sample.timestamp_ns, sample.value});
  }
  std::vector<Series> list;
  for (auto& [id, series] : found) {
    std::stable_sort(series.points.begin(), series.points.end(),
                     [](const auto& a, const auto& b) { return a.timestamp_ns < b.timestamp_ns; });
    list.push_back(std::move(series));
  }
  return list;
}

Result<model::LogRecords> MemoryStore::read_logs(const LogQuery& query) {
  const std::lock_guard lock(mutex_);
  model::LogRecords found;
  for (const auto& record : all_.logs) {
    if (fits(query.node_id, record.tags.node_id) && fits(query.source, record.source) &&
        inside(record.timestamp_ns, query.range)) {
      found.push_back(record);
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.timestamp_ns < b.timestamp_ns; });
  if (found.size() > query.limit) {
    found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(query.limit));
  }
  return found;
}

Result<model::BenchmarkResults> MemoryStore::read_results(const ResultQuery& query) {
  const std::lock_guard lock(mutex_);
  model::BenchmarkResults found;
  for (const auto& result : all_.results) {
    if (fits(query.node_id, result.tags.node_id) && fits(query.benchmark, result.benchmark) &&
        inside(result.timestamp_ns, query.range) &&
        (result.preflight.passed || !query.trusted_only)) {
      found.push_back(result);
    }
  }
  return found;
}

Result<std::vector<IncidentEvent>> MemoryStore::read_events(const std::string& incident_id) {
  const std::lock_guard lock(mutex_);
  std::vector<IncidentEvent> found;
  for (const auto& event : all_.events) {
    if (event.incident_id == incident_id) found.push_back(event);
  }
  return found;
}

Result<std::vector<std::string>> MemoryStore::incident_ids() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> ids;
  for (auto event = all_.events.rbegin(); event != all_.events.rend(); ++event) {
    if (std::find(ids.begin(), ids.end(), event->incident_id) == ids.end()) {
      ids.push_back(event->incident_id);
    }
  }
  return ids;
}

Result<Json> MemoryStore::read_sync_position(const std::string& source) {
  const std::lock_guard lock(mutex_);
  Json newest;
  for (const SyncPosition& each : all_.sync_positions) {
    if (each.source == source) newest = each.position;
  }
  return newest;
}

Result<std::vector<std::string>> MemoryStore::node_ids(TimeRange range) {
  const std::lock_guard lock(mutex_);
  std::set<std::string> ids;
  for (const auto& sample : all_.samples) {
    if (inside(sample.timestamp_ns, range)) ids.insert(sample.tags.node_id);
  }
  return std::vector<std::string>(ids.begin(), ids.end());
}

Engine& MemoryStore::engine() {
  CHECK(false, "a memory store has no engine");
  std::abort();
}

WriterStats MemoryStore::writer_stats() const { return {}; }

void MemoryStore::fail_writes(std::optional<Error> error) {
  const std::lock_guard lock(mutex_);
  failure_ = std::move(error);
}

}  // namespace auscult::store
