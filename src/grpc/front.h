// Front: the OTLP/gRPC server. Takes exports as bytes and hands each to one handler.
//
// No file here may be called like a header of gRPC's own folder grpc/ (status.h, slice.h, ...):
// src/ comes first on the include path, and theirs would no longer be found.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "wire/otlp.h"

namespace auscult::grpc {

// One Export<Signal>ServiceRequest.
struct Call {
  wire::Signal signal = wire::Signal::metrics;
  std::string body;           // protobuf, unpacked
  std::string peer;           // "127.0.0.1:51234"
  std::string authorization;  // the metadata of that name, or empty
};

struct Answer {
  int grpc_status = 0;  // google.rpc.Code; 0 is OK
  std::string message;  // for people, where the status is not OK; cut at 512 bytes
  std::string body;     // Export<Signal>ServiceResponse, where the status is OK
  // Sent as google.rpc.RetryInfo. OTLP clients try RESOURCE_EXHAUSTED again only where it is given.
  std::optional<std::chrono::seconds> retry_after;
};

// Call it once, from any thread; a second call, or one after the client left, does nothing. Copies
// share the answer. If every copy is dropped unanswered the client gets INTERNAL.
using Reply = std::function<void(Answer)>;

// Runs on a thread of gRPC: must not block. Slow work goes elsewhere and replies later.
using Handler = std::function<void(Call, Reply)>;

// PEM texts.
struct Tls {
  std::string certificate;
  std::string key;
  std::string client_ca;  // not empty: only clients with a certificate of this authority
};

struct Options {
  std::string address = "127.0.0.1";
  uint16_t port = 0;  // 0: any free one, see port()
  // A message as it comes and, where it is compressed, unpacked. Above: RESOURCE_EXHAUSTED as it
  // comes, INVALID_ARGUMENT unpacked.
  size_t max_message_bytes = size_t{64} << 20U;
  size_t max_calls = 4096;                              // above: UNAVAILABLE, to be tried again
  size_t max_calls_per_connection = 256;                // above: the client waits (HTTP/2)
  size_t max_inflight_body_bytes = size_t{256} << 20U;  // with the handler; above: UNAVAILABLE
  size_t max_buffer_bytes = size_t{512} << 20U;         // of gRPC, for what is on its way
  std::chrono::milliseconds read_timeout{30'000};       // for the message; above: DEADLINE_EXCEEDED
  std::optional<Tls> tls;                               // none: cleartext
};

struct Stats {
  uint64_t calls = 0;
  uint64_t refused = 0;    // answered with an error by the front itself
  uint64_t in_flight = 0;  // now
};

// Serves /opentelemetry.proto.collector.{metrics,logs,trace}.v1.*Service/Export; other methods are
// UNIMPLEMENTED. Messages may be compressed by gzip or zstd. Thread-safe.
class Front {
 public:
  // Listens before it returns. `unavailable` names address and port if they cannot be had,
  // `invalid_input` an address that is none or a certificate that does not fit its key.
  static Result<std::unique_ptr<Front>> start(const Options& options, Handler handler);

  // Takes no new calls, gives those in flight 2 s to end, cancels the rest. Afterwards the handler
  // is not called again; a Reply may outlive the Front.
  virtual ~Front() = default;

  virtual uint16_t port() const = 0;
  virtual Stats stats() const = 0;
};

}  // namespace auscult::grpc
