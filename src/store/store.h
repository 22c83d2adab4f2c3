// Store: the database `auscult`: schema, writer with group commit, reader. Opened by one process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "model/benchmark_result.h"
#include "model/log_record.h"
#include "model/sample.h"
#include "model/series.h"
#include "model/span.h"
#include "store/engine.h"
#include "store/hot_store.h"
#include "store/http_engine.h"
#include "store/series_catalog.h"

namespace auscult::store {

// One step in the life of an incident, an action, an override: append-only, state is folded from
// it.
struct IncidentEvent {
  std::string incident_id;
  int64_t timestamp_ns = 0;
  std::string kind;  // opened, hypothesis, action_requested, action_result, verdict, report, closed
  std::string actor;  // who: "alert", "planner", "agent node7", a person's name
  Json detail;
};

// How far the fetching from a source has come. The store does not read `position`.
struct SyncPosition {
  std::string source;
  Json position;
};

// What one client sent at once: it is stored whole or not at all, and once, however often it is
// sent within the window (24 h or the last 1,000,000 batches, whichever is shorter). Its times lie
// in 1970 to 2261 and span at most 1,000 days.
struct Batch {
  std::string id;          // batch_id() of what the client sent; empty: never deduplicated
  model::Points points;    // of series of Store::series()
  model::Samples samples;  // for those who have a few, one by one; write() makes points of them
  model::LogRecords logs;
  model::Spans spans;
  model::BenchmarkResults results;
  std::vector<IncidentEvent> events;
  std::vector<SyncPosition> sync_positions;  // one a source at most

  size_t rows() const {
    return points.size() + samples.size() + logs.size() + spans.size() + results.size() +
           events.size() + sync_positions.size();
  }
};

// The id of a request: the same bytes to the same signal are the same batch.
std::string batch_id(std::string_view signal, std::string_view body);

struct TimeRange {
  int64_t begin_ns = 0;  // inclusive
  int64_t end_ns = 0;    // exclusive
};

struct SeriesQuery {
  std::string metric;
  std::string node_id;   // empty: any
  model::Labels labels;  // each must match exactly; others may be present
  TimeRange range;
};

struct Point {
  int64_t timestamp_ns;  // whole milliseconds: samples are stored no finer
  double value;
};

struct Series {
  std::string metric;
  model::Labels labels;
  model::Tags tags;
  std::vector<Point> points;  // ascending in time, one a timestamp: the one stored last
};

struct LogQuery {
  std::string node_id;  // empty: any
  std::string source;   // empty: any
  TimeRange range;
  size_t limit = 100'000;  // most lines; beyond that the newest are kept
};

struct ResultQuery {
  std::string node_id;    // empty: any
  std::string benchmark;  // empty: any
  TimeRange range;
  bool trusted_only = true;  // preflight passed
};

struct WriterOptions {
  std::chrono::milliseconds max_delay{200};  // group commit: a batch waits at most this long
  size_t max_group_rows = 200'000;           // and a group takes at most this many rows
  size_t large_group_rows = 20'000;          // one of so many waits no longer than
  std::chrono::milliseconds pause{10};       // this for another batch
  size_t max_queued_rows = 2'000'000;        // beyond: the batch is refused with `unavailable`
};

struct StoreOptions {
  EmbeddedOptions engine;
  std::optional<HttpEngineOptions> remote;  // then only the journal lies in engine.data
  CatalogOptions catalog;
  HotOptions hot;
  WriterOptions writer;
};

struct WriterStats {
  uint64_t batches_committed = 0;
  uint64_t batches_duplicate = 0;
  uint64_t batches_refused = 0;
  uint64_t rows_committed = 0;
  uint64_t groups_failed = 0;
  uint64_t rows_queued = 0;  // now
};

// Thread-safe.
class Store {
 public:
  // Opens the engine, migrates the schema step by step, replays groups that a crash left
  // unconfirmed.
  static Result<std::unique_ptr<Store>> open(const StoreOptions& options, const Clock& clock);
  virtual ~Store() = default;

  // Takes the batch and calls `done` exactly once, from another thread, when it is committed (Ok,
  // also for a batch that was stored before) or is known to have failed: `unavailable` asks the
  // client to retry (queue full, disk full), `invalid_input` does not. After Ok the rows are
  // readable and survive SIGKILL.
  virtual void write(Batch batch, std::function<void(Result<Ok>)> done) = 0;

  // As above, and waits.
  Result<Ok> write_and_wait(Batch batch);

  virtual Result<std::vector<Series>> read_series(const SeriesQuery& query) = 0;
  virtual Result<model::LogRecords> read_logs(const LogQuery& query) = 0;  // ascending in time
  virtual Result<model::BenchmarkResults> read_results(const ResultQuery& query) = 0;
  virtual Result<std::vector<IncidentEvent>> read_events(const std::string& incident_id) = 0;
  virtual Result<std::vector<std::string>> incident_ids() = 0;  // newest first, at most 1,000
  // The position that was stored last; null when there is none.
  virtual Result<Json> read_sync_position(const std::string& source) = 0;
  // Nodes that sent a sample within the range.
  virtual Result<std::vector<std::string>> node_ids(TimeRange range) = 0;

  // Where the series of a batch's points come from.
  virtual model::SeriesIndex& series() = 0;
  // How often there was no room for a new one.
  virtual uint64_t series_refused() const = 0;

  // The last hours in memory: what is committed is there before its batch is acknowledged.
  virtual HotStore& hot() = 0;

  virtual Engine& engine() = 0;
  virtual WriterStats writer_stats() const = 0;
};

}  // namespace auscult::store
