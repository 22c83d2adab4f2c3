#include "serve/ingest.h"

#include <utility>

#include "wire/compression.h"
#include "wire/remote_write.h"

namespace auscult::serve {
namespace {

constexpr size_t worker_threads = 2;

template <typename Prepared, typename T>
void take_items(Prepared& prepared, T& into, wire::Decoded<T> decoded) {
  into = std::move(decoded.items);
  prepared.rejected = decoded.rejected;
  prepared.message = std::move(decoded.message);
}

// Part of the bytes that may wait for their commit, given back when the last holder lets go.
class Reservation {
 public:
  explicit Reservation(std::shared_ptr<std::atomic<size_t>> total) : total_(std::move(total)) {}
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  ~Reservation() { *total_ -= bytes_; }

  bool take(size_t bytes, size_t limit) {
    bytes_ += bytes;
    return (*total_ += bytes) <= limit;
  }

 private:
  std::shared_ptr<std::atomic<size_t>> total_;  // shared: a commit may end after the Ingest
  size_t bytes_ = 0;
};

std::string_view name_of(const Delivery& delivery) {
  if (delivery.format == Format::remote_write) return "/api/v1/write";
  switch (delivery.signal) {
    case wire::Signal::metrics:
      return "/v1/metrics";
    case wire::Signal::logs:
      return "/v1/logs";
    case wire::Signal::traces:
      return "/v1/traces";
  }
  return {};
}

}  // namespace

Ingest::Ingest(store::Store& store, const Clock& clock, redact::Redactor* redactor)
    : store_(store),
      redactor_(redactor),
      clock_(clock),
      replicas_(clock),
      workers_("ingest", worker_threads, max_queued_requests) {
  if (redactor_ != nullptr) redacting_series_.emplace(store_.series(), *redactor_);
}

model::SeriesIndex& Ingest::series() {
  return redacting_series_ ? *redacting_series_ : store_.series();
}

void Ingest::count_malformed() {
  ++counters_->stats.requests;
  ++counters_->stats.malformed;
}

void Ingest::take(Delivery delivery, Done done) {
  ++counters_->stats.requests;
  // Shared: a task is copied, and bodies are long.
  auto task = [this, delivery = std::make_shared<const Delivery>(std::move(delivery)), done] {
    work(*delivery, done);
  };
  if (workers_.submit(std::move(task))) return;
  ++counters_->stats.pushed_back;
  done({.kind = Outcome::Kind::busy, .message = "too many requests at once: retry"});
}

void Ingest::work(const Delivery& delivery, const Done& done) {
  auto& stats = counters_->stats;
  // Held by this call and the commit's answer, whichever ends last.
  const auto reservation = std::make_shared<Reservation>(
      std::shared_ptr<std::atomic<size_t>>(counters_, &counters_->inflight_bytes));
  auto prepared = [&]() -> Result<Prepared> {
    // Most bodies are large and not compressed, or by their format only: they stay where they are.
    const bool is_packed = !delivery.content_encoding.empty();
    std::string unpacked;
    if (is_packed) {
      unpacked = TRY(wire::decompress(delivery.content_encoding, delivery.body, max_decoded_bytes));
    }
    const std::string& body = is_packed ? unpacked : delivery.body;
    if (!reservation->take(body.size(), max_inflight_decoded_bytes)) {
      return Error{ErrorCode::unavailable, "too many bytes wait to be stored: retry"};
    }
    return prepare(delivery, body);
  }();
  if (!prepared) {
    const bool busy = prepared.error().code == ErrorCode::unavailable;
    ++(busy ? stats.pushed_back : stats.malformed);
    return done({.kind = busy ? Outcome::Kind::busy : Outcome::Kind::malformed,
                 .message = prepared.error().message});
  }
  stats.rejected_items += prepared->rejected;
  auto answer = [counters = counters_, reservation, done, rejected = prepared->rejected,
                 message = prepared->message](const Result<Ok>& stored) {
    if (stored) return done({.rejected = rejected, .message = message});
    const bool retry = stored.error().code == ErrorCode::unavailable;
    if (retry) ++counters->stats.pushed_back;
    done({.kind = retry ? Outcome::Kind::failed : Outcome::Kind::malformed,
          .message = stored.error().message});
  };
  store_.write(std::move(prepared->batch), std::move(answer));
}

Result<Ingest::Prepared> Ingest::prepare(const Delivery& delivery, const std::string& body) {
  Prepared prepared;
  if (delivery.format == Format::remote_write) {
    prepared = TRY(prepare_remote_write(body));
  } else {
    // A delta is kept as a gauge that says so: what a client sent is not thrown away.
    const wire::DecodeOptions options{.now_ns = clock_.now_ns(), .keep_delta = true};
    const auto encoding =
        delivery.format == Format::otlp_json ? wire::Encoding::json : wire::Encoding::protobuf;
    switch (delivery.signal) {
      case wire::Signal::metrics:
        take_items(prepared, prepared.batch.points,
                   TRY(wire::decode_metrics(body, encoding, options, series())));
        break;
      case wire::Signal::logs:
        take_items(prepared, prepared.batch.logs, TRY(wire::decode_logs(body, encoding, options)));
        break;
      case wire::Signal::traces:
        take_items(prepared, prepared.batch.spans,
                   TRY(wire::decode_traces(body, encoding, options)));
        break;
    }
  }
  if (redactor_ != nullptr) {
    redactor_->redact(prepared.batch.logs);
    redactor_->redact(prepared.batch.spans);
  }
  prepared.batch.id = store::batch_id(name_of(delivery), body);
  return prepared;
}

Result<Ingest::Prepared> Ingest::prepare_remote_write(const std::string& body) {
  const wire::RemoteWriteOptions options{.max_bytes = max_decoded_bytes};
  auto decoded = TRY(wire::decode_remote_write(body, options, series()));
  counters_->stats.dropped_exemplars += decoded.exemplars;
  if (!replicas_.accepts(decoded.cluster, decoded.replica)) {
    counters_->stats.replica_samples += decoded.points.size();
    return Prepared{};
  }
  Prepared prepared;
  prepared.batch.points = std::move(decoded.points);
  prepared.rejected = decoded.rejected.samples;
  prepared.message = std::move(decoded.rejected.message);
  return prepared;
}

}  // namespace auscult::serve
