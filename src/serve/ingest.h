// Ingest: OTLP/HTTP in, committed rows out.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/clock.h"
#include "base/worker_pool.h"
#include "net/server.h"
#include "store/store.h"

namespace auscult::serve {

struct IngestStats {
  std::atomic<uint64_t> requests{0};
  std::atomic<uint64_t> malformed{0};       // 400, 413, 415
  std::atomic<uint64_t> rejected_items{0};  // partial success
  std::atomic<uint64_t> pushed_back{0};     // 429, 503
};

// POST /v1/metrics, /v1/logs, /v1/traces. 200 only after the rows are committed. Thread-safe. The
// destructor ends what waits to be decoded, not what waits for its commit: the store may answer
// later.
class Ingest {
 public:
  static constexpr size_t max_decoded_bytes = size_t{64} << 20U;  // one body, decompressed
  static constexpr size_t max_queued_requests = 256;              // beyond: 429
  // Decoded bodies that wait for their commit, all together; beyond: 429. Rows bound the writer's
  // queue, this bounds what the rows may weigh.
  static constexpr size_t max_inflight_decoded_bytes = size_t{256} << 20U;

  Ingest(store::Store& store, const Clock& clock);
  void handle(net::Request request, const net::Reply& reply);
  const IngestStats& stats() const { return counters_->stats; }

 private:
  struct Counters {
    IngestStats stats;
    std::atomic<size_t> inflight_bytes{0};
  };

  store::Store& store_;
  const Clock& clock_;
  // Shared with the commits that the store still owes: they end after the Ingest when a server
  // stops in the middle of its traffic.
  std::shared_ptr<Counters> counters_ = std::make_shared<Counters>();
  WorkerPool workers_;
};

}  // namespace auscult::serve
