// MemoryStore: a Store that keeps everything in lists. For tests of what reads and writes a Store.
#pragma once

#include <mutex>
#include <optional>

#include "store/store.h"

namespace auscult::store {

// Thread-safe. write() calls `done` before it returns. There is no engine to ask.
class MemoryStore : public Store {
 public:
  void write(Batch batch, std::function<void(Result<Ok>)> done) override;
  Result<std::vector<Series>> read_series(const SeriesQuery& query) override;
  Result<model::LogRecords> read_logs(const LogQuery& query) override;
  Result<model::BenchmarkResults> read_results(const ResultQuery& query) override;
  Result<std::vector<IncidentEvent>> read_events(const std::string& incident_id) override;
  Result<std::vector<std::string>> incident_ids() override;
  Result<Json> read_sync_position(const std::string& source) override;
  Result<std::vector<std::string>> node_ids(TimeRange range) override;
  model::SeriesIndex& series() override { return series_; }
  uint64_t series_refused() const override { return series_.refused(); }
  HotStore& hot() override { return hot_; }
  Engine& engine() override;
  WriterStats writer_stats() const override;

  // From now on every write fails with this error; nothing: they succeed again.
  void fail_writes(std::optional<Error> error);

 private:
  SeriesCatalog series_{{}, system_clock()};
  HotStore hot_{series_, {}, system_clock()};
  mutable std::mutex mutex_;
  Batch all_;
  std::optional<Error> failure_;
};

}  // namespace auscult::store
