// TlsSocket: the client's side of TLS on a non-blocking socket. It never waits: it says what for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "net/tls.h"

struct ssl_st;  // OpenSSL's SSL

namespace auscult::net {

class TlsSocket {
 public:
  struct Step {
    enum class State : uint8_t {
      done,
      wait_readable,
      wait_writable,
      closed,  // the other side said so; with `cut`, the connection ended without a word
      failed
    };
    State state = State::done;
    size_t bytes = 0;   // read or written
    bool cut = false;   // the answer so far may be only a part
    std::string error;  // of failed
  };

  // `host` is the name or address that the server's certificate must have. The socket is borrowed.
  static Result<TlsSocket> create(const TlsContext& context, int socket, const std::string& host);
  TlsSocket(TlsSocket&&) noexcept = default;
  TlsSocket& operator=(TlsSocket&&) noexcept = default;
  ~TlsSocket() = default;

  Step shake_hands();
  Step read(char* into, size_t size);
  // Call again with the same bytes after a wait.
  Step write(std::string_view bytes);

 private:
  using Ssl = std::unique_ptr<ssl_st, void (*)(ssl_st*)>;
  explicit TlsSocket(Ssl ssl) : ssl_(std::move(ssl)) {}
  Step outcome(int code, size_t bytes);

  Ssl ssl_;
};

}  // namespace auscult::net
