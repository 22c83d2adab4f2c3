// Ingest: what clients deliver in, committed rows out. It knows formats; what asks for it over
// which protocol is the fronts' business (otlp_http, otlp_grpc, the route of remote write).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/worker_pool.h"
#include "redact/redactor.h"
#include "serve/ha_tracker.h"
#include "store/store.h"
#include "wire/otlp.h"

namespace auscult::serve {

enum class Format : uint8_t {
  otlp_protobuf,
  otlp_json,
  remote_write,  // Prometheus remote write 1.0
};

struct Delivery {
  Format format = Format::otlp_protobuf;
  wire::Signal signal = wire::Signal::metrics;
  std::string content_encoding;  // "", gzip, zstd; the snappy of remote write is part of its format
  std::string body;
};

struct Outcome {
  enum class Kind : uint8_t {
    stored,     // committed, but for the rejected items
    malformed,  // nothing is stored and no retry will help
    busy,       // nothing is stored: too much waits, send it again a little later
    failed,     // nothing is stored: the store does not take it at present, send it again later
  };
  Kind kind = Kind::stored;
  uint64_t rejected = 0;  // items that cannot be stored
  std::string message;    // why, for the first of them; or why nothing is stored
};

struct IngestStats {
  std::atomic<uint64_t> requests{0};
  std::atomic<uint64_t> malformed{0};
  std::atomic<uint64_t> rejected_items{0};
  std::atomic<uint64_t> pushed_back{0};        // busy and failed
  std::atomic<uint64_t> replica_samples{0};    // of Prometheus replicas that are not elected
  std::atomic<uint64_t> dropped_exemplars{0};  // of remote write
};

// Thread-safe. The destructor ends what waits to be decoded, not what waits for its commit: the
// store may answer later.
class Ingest {
 public:
  static constexpr size_t max_decoded_bytes = size_t{64} << 20U;  // one body, decompressed
  static constexpr size_t max_queued_requests = 256;              // beyond: busy
  // Decoded bodies that wait for their commit, all together; beyond: busy. Rows bound the writer's
  // queue, this bounds what the rows may weigh.
  static constexpr size_t max_inflight_decoded_bytes = size_t{256} << 20U;

  using Done = std::function<void(Outcome)>;

  // `redactor` sees what is decoded before it is stored; null: everything is stored as it came.
  Ingest(store::Store& store, const Clock& clock, redact::Redactor* redactor = nullptr);

  // Calls `done` once, from any thread, also before it returns.
  void take(Delivery delivery, Done done);

  // A front refused a request before it came to take().
  void count_malformed();

  const IngestStats& stats() const { return counters_->stats; }

 private:
  struct Counters {
    IngestStats stats;
    std::atomic<size_t> inflight_bytes{0};
  };
  struct Prepared {
    store::Batch batch;
    uint64_t rejected = 0;
    std::string message;
  };

  // Of the store, behind the redactor.
  model::SeriesIndex& series();
  void work(const Delivery& delivery, const Done& done);
  Result<Prepared> prepare(const Delivery& delivery, const std::string& body);
  Result<Prepared> prepare_remote_write(const std::string& body);

  store::Store& store_;
  redact::Redactor* redactor_;
  std::optional<redact::RedactingIndex> redacting_series_;
  const Clock& clock_;
  HaTracker replicas_;
  // Shared with the commits that the store still owes: they end after the Ingest when a server
  // stops in the middle of its traffic.
  std::shared_ptr<Counters> counters_ = std::make_shared<Counters>();
  WorkerPool workers_;
};

}  // namespace auscult::serve
