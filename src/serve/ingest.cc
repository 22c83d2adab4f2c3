#include "serve/ingest.h"

#include <memory>
#include <optional>

#include "base/text.h"
#include "wire/compression.h"
#include "wire/otlp.h"

namespace auscult::serve {
namespace {

using wire::Encoding;
using wire::Signal;

constexpr size_t worker_threads = 2;

std::optional<Signal> signal_of(std::string_view path) {
  if (path == "/v1/metrics") return Signal::metrics;
  if (path == "/v1/logs") return Signal::logs;
  if (path == "/v1/traces") return Signal::traces;
  return {};
}

std::optional<Encoding> encoding_of(std::string_view content_type) {
  std::string type(trim(content_type.substr(0, content_type.find(';'))));
  // Media types do not care about case (RFC 9110).
  for (char& c : type) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (type == "application/x-protobuf") return Encoding::protobuf;
  if (type == "application/json") return Encoding::json;
  return {};
}

std::string_view content_type(Encoding encoding) {
  return encoding == Encoding::json ? "application/json" : "application/x-protobuf";
}

net::Response refuse(Encoding encoding, int status, const std::string& message) {
  net::Response response{.status = status,
                         .headers = {{"Content-Type", std::string(content_type(encoding))}},
                         .body = wire::encode_error(encoding, status, message)};
  if (status == 429 || status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

struct Prepared {
  store::Batch batch;
  uint64_t rejected = 0;
  std::string message;
};

template <typename T>
void take(Prepared& prepared, T& into, wire::Decoded<T> decoded) {
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

Result<Prepared> prepare(const net::Request& request, const std::string& body, Signal signal,
                         Encoding encoding, store::Store& store, int64_t now_ns) {
  // A delta is kept as a gauge that says so: what a client sent is not thrown away.
  const wire::DecodeOptions options{.now_ns = now_ns, .keep_delta = true};
  Prepared prepared;
  prepared.batch.id = store::batch_id(request.path, body);
  switch (signal) {
    case Signal::metrics:
      take(prepared, prepared.batch.points,
           TRY(wire::decode_metrics(body, encoding, options, store.series())));
      break;
    case Signal::logs:
      take(prepared, prepared.batch.logs, TRY(wire::decode_logs(body, encoding, options)));
      break;
    case Signal::traces:
      take(prepared, prepared.batch.spans, TRY(wire::decode_traces(body, encoding, options)));
      break;
  }
  return prepared;
}

}  // namespace

Ingest::Ingest(store::Store& store, const Clock& clock)
    : store_(store), clock_(clock), workers_("ingest", worker_threads, max_queued_requests) {}

void Ingest::handle(net::Request request, const net::Reply& reply) {
  ++counters_->stats.requests;
  const auto signal = signal_of(request.path);
  const auto encoding = encoding_of(net::header(request.headers, "Content-Type"));
  if (!signal || request.method != "POST" || !encoding) {
    ++counters_->stats.malformed;
    const int status = !signal ? 404 : request.method != "POST" ? 405 : 415;
    reply(refuse(encoding.value_or(Encoding::json), status,
                 status == 404   ? "OTLP is at /v1/metrics, /v1/logs and /v1/traces"
                 : status == 405 ? "OTLP takes POST"
                                 : "send application/x-protobuf or application/json"));
    return;
  }
  auto work = [this, request = std::move(request), reply, signal = *signal, encoding = *encoding] {
    const auto body = wire::decompress(net::header(request.headers, "Content-Encoding"),
                                       request.body, max_decoded_bytes);
    // Shared by this lambda and the commit's answer, whichever ends last.
    const auto reservation = std::make_shared<Reservation>(
        std::shared_ptr<std::atomic<size_t>>(counters_, &counters_->inflight_bytes));
    if (body && !reservation->take(body->size(), max_inflight_decoded_bytes)) {
      ++counters_->stats.pushed_back;
      reply(refuse(encoding, 429, "too many bytes wait to be stored: retry"));
      return;
    }
    auto prepared = body ? prepare(request, *body, signal, encoding, store_, clock_.now_ns())
                         : Result<Prepared>(body.error());
    if (!prepared) {
      ++counters_->stats.malformed;
      reply(refuse(encoding, 400, prepared.error().message));
      return;
    }
    counters_->stats.rejected_items += prepared->rejected;
    net::Response success{
        .status = 200,
        .headers = {{"Content-Type", std::string(content_type(encoding))}},
        .body = wire::encode_success(signal, encoding, prepared->rejected, prepared->message)};
    store_.write(std::move(prepared->batch),
                 [counters = counters_, reply, encoding, success, reservation](Result<Ok> done) {
                   if (done) {
                     reply(success);
                     return;
                   }
                   const bool retry = done.error().code == ErrorCode::unavailable;
                   if (retry) ++counters->stats.pushed_back;
                   reply(refuse(encoding, retry ? 503 : 400, done.error().message));
                 });
  };
  if (!workers_.submit(std::move(work))) {
    ++counters_->stats.pushed_back;
    reply(refuse(*encoding, 429, "too many requests at once: retry"));
  }
}

}  // namespace auscult::serve
