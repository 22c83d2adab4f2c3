// Prometheus sync: fetches what a Prometheus server has stored, into the store, each sample once.
//
// Time is cut into windows, a window into parts that fit into memory: some metrics over the whole
// window, or one metric over a piece of it. A part and the position behind it are one batch, so
// wherever either side is killed, the next run goes on where the store's data ends. Nothing newer
// than the safety lag is fetched: it may not be complete yet.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/loop.h"
#include "serve/prometheus_source.h"
#include "store/store.h"

namespace auscult::serve {

struct SyncOptions {
  std::string url;                     // of the Prometheus server
  std::vector<std::string> selectors;  // what to fetch, as in PromQL; empty: all
  std::chrono::milliseconds since{std::chrono::hours(7 * 24)};  // how far back the first run goes
  std::chrono::milliseconds every{std::chrono::minutes(5)};

  // Names the position in the store. Two syncs with one server are two sources if they fetch other
  // series; what both select is then stored twice.
  std::string source() const;
};

struct SyncLimits {
  std::chrono::milliseconds window{std::chrono::hours(1)};
  std::chrono::milliseconds safety_lag{std::chrono::minutes(2)};
  size_t max_points = 500'000;  // of a part: 12 MB, and one group of the writer
  size_t first_metrics = 200;   // of the first part
  size_t max_metrics = 2'000;   // of any
};

// What the last step did.
struct SyncStep {
  bool caught_up = false;  // up to the safety lag behind the first step since the last time it was
  int64_t complete_until_ms = 0;  // everything before is stored
  uint64_t points = 0;            // that this step stored
  wire::Rejected rejected;
};

// One thread at a time, except for cancel().
class PrometheusSync {
 public:
  // invalid_input: a selector. `store` and `clock` are borrowed.
  static Result<std::unique_ptr<PrometheusSync>> create(SyncOptions options, SyncLimits limits,
                                                        std::unique_ptr<PrometheusSource> source,
                                                        store::Store& store, const Clock& clock);

  // Fetches and stores one part. After an Error the next step tries the same part again.
  Result<SyncStep> step(const std::stop_token& stop);

  // For how long the server keeps samples, if it says so.
  Result<std::optional<std::chrono::milliseconds>> retention() { return source_->retention(); }

  void cancel() { source_->cancel(); }
  const SyncOptions& options() const { return options_; }

 private:
  // Everything before `begin_ms` is stored; of the window that begins there, all metrics before
  // `metric`, and of that one what lies before `from_ms`.
  struct Position {
    int64_t begin_ms = 0;
    int64_t end_ms = 0;  // 0: no window is begun
    std::string metric;
    int64_t from_ms = 0;
  };
  struct Part {
    std::vector<std::string> metrics;
    wire::TimeRangeMs range;
    Position next;
  };

  PrometheusSync(SyncOptions options, SyncLimits limits, std::unique_ptr<PrometheusSource> source,
                 std::vector<std::vector<wire::LabelMatcher>> selectors, store::Store& store,
                 const Clock& clock);

  Result<Ok> load(int64_t until_ms);
  Result<bool> open_window(int64_t until_ms);
  Part next_part() const;
  Result<std::optional<model::Points>> read(const Part& part, wire::Rejected& rejected);
  Result<Ok> make_smaller(const Part& part);
  void make_larger(const Part& part, uint64_t n_points);
  Result<Ok> write(model::Points points, Position next, const std::stop_token& stop);
  Json to_json(const Position& position) const;

  const SyncOptions options_;
  const SyncLimits limits_;
  const std::unique_ptr<PrometheusSource> source_;
  const std::vector<std::vector<wire::LabelMatcher>> selectors_;  // at least one, maybe empty
  store::Store& store_;
  const Clock& clock_;
  Sleeper sleeper_;

  std::optional<int64_t> until_ms_;  // where this run ends: one that followed the clock never would
  std::optional<Position> position_;  // nothing: to be read from the store
  bool is_stored_ = true;             // position_; not after windows without metrics
  std::vector<std::string> metrics_;  // of the window, sorted
  size_t n_metrics_;                  // of the next part
  int64_t piece_ms_ = 0;              // of the next part, where one metric is too much; 0: all
};

}  // namespace auscult::serve
