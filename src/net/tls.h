// TLS: what both ends of a connection need to know. TLS 1.2 and later, on OpenSSL.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace auscult::net {

// Shared: connections that began under an old certificate keep it. Thread-safe.
using TlsContext = std::shared_ptr<ssl_ctx_st>;

// PEM texts.
struct ServerTls {
  std::string certificate;  // its own, then those between it and the authority
  std::string key;
  std::string client_ca;  // not empty: only clients with a certificate of this authority
};

struct ClientTls {
  std::string ca;           // whom to trust; empty: the authorities that this host trusts
  std::string certificate;  // with its key: who the client is, where the server asks for it
  std::string key;
};

// invalid_input: a text that is no PEM, a key that does not fit its certificate, one without the
// other.
Result<TlsContext> server_context(const ServerTls& tls);
Result<TlsContext> client_context(const ClientTls& tls);

// The newest error of OpenSSL on this thread, for a message; takes it off its queue.
std::string tls_error();

}  // namespace auscult::net
