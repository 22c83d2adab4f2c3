// Sync service: keeps the store up with Prometheus servers, while the server runs.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/loop.h"
#include "base/yaml.h"
#include "serve/prometheus_sync.h"

namespace auscult::serve {

// The list `sync` of the server's file: [{prometheus: URL, every: 5m, since: 7d, match: [...]}].
// invalid_input names file and line.
Result<std::vector<SyncOptions>> parse_sync(const Yaml& list);

// What a source has come to.
struct SyncState {
  std::string source;
  double lag_seconds = 0;        // of what is stored, behind the clock
  double retention_seconds = 0;  // of the server; 0: it does not say, or has not been asked yet
  uint64_t samples = 0;          // stored by this process
  uint64_t rejected = 0;
  uint64_t failures = 0;
};

using SyncConnect = std::function<Result<std::unique_ptr<PrometheusSource>>(const std::string&)>;

class SyncService {
 public:
  // invalid_input: a URL or a selector. Store and clock are borrowed. Begins at once.
  static Result<std::unique_ptr<SyncService>> start(const std::vector<SyncOptions>& sources,
                                                    store::Store& store, const Clock& clock,
                                                    const SyncConnect& connect = connect_prometheus,
                                                    const SyncLimits& limits = {});
  ~SyncService();

  // Thread-safe.
  std::vector<SyncState> states() const;

 private:
  struct Source {
    std::unique_ptr<PrometheusSync> sync;
    std::chrono::nanoseconds due{};  // by the monotonic clock
    std::chrono::nanoseconds retention_due{};
    std::string problem;  // logged already
    bool lag_logged = false;
    int64_t complete_until_ms = 0;  // 0: not known yet
    SyncState state;
  };

  SyncService(std::vector<std::unique_ptr<PrometheusSync>> syncs, const Clock& clock);
  void run(const std::stop_token& stop);
  void step(Source& source, const std::stop_token& stop);
  void ask_retention(Source& source);
  void warn_of_lag(Source& source);

  const Clock& clock_;
  std::atomic<bool> stopping_{false};
  mutable std::mutex mutex_;  // guards state and complete_until_ms of the sources
  std::deque<Source> sources_;
  Loop loop_;
};

}  // namespace auscult::serve
