// HttpServer: HTTP/1.1 on Beast coroutines. Handlers answer when they can, from any thread.
#pragma once

#include <optional>

#include "net/http.h"
#include "net/tls.h"

namespace auscult::net {

// Call it once; a second call, or one after the client left, does nothing. Copies share the answer.
// If every copy is dropped unanswered the client gets 500.
using Reply = std::function<void(Response)>;

// Runs on an I/O thread: must not block. Slow work goes elsewhere and replies later.
using Handler = std::function<void(Request, Reply)>;

// Sees a request when its header has come and its body has not: an answer refuses it before the
// body costs anything. May set `caller`. Runs on an I/O thread: must not block.
using Admit = std::function<std::optional<Response>(Request&)>;

struct ServerOptions {
  std::string address = "127.0.0.1";
  uint16_t port = 0;  // 0: any free one, see port()
  size_t threads = 2;
  size_t max_body_bytes = size_t{64} << 20U;  // above: 413
  size_t max_header_bytes = 64U << 10U;       // above: 431
  size_t max_connections = 12'000;            // above: 503 and closed
  size_t max_inflight_body_bytes = size_t{512}
                                   << 20U;  // bodies held at once; above: 503, Retry-After
  std::chrono::seconds read_timeout{30};    // for a whole request once it has begun; idle: 120 s
  Admit admit;                              // none: everybody is admitted
  TlsContext tls;                           // none: cleartext
};

struct ServerStats {
  uint64_t requests = 0;
  uint64_t refused = 0;      // 4xx and 5xx that the server itself gave
  uint64_t connections = 0;  // now
};

// Thread-safe.
class HttpServer {
 public:
  // Listens before it returns. `unavailable` names address and port if they are taken.
  static Result<std::unique_ptr<HttpServer>> start(const ServerOptions& options, Handler handler);
  virtual ~HttpServer() = default;  // stops accepting, answers what is running with 503, joins

  virtual uint16_t port() const = 0;
  // For connections from now on. Only where there was TLS from the start.
  virtual void set_tls(TlsContext tls) = 0;
  virtual ServerStats stats() const = 0;
};

}  // namespace auscult::net
