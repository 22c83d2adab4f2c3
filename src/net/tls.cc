#include "net/tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

namespace auscult::net {
namespace {

using Bio = std::unique_ptr<BIO, decltype(&::BIO_free)>;
using Certificate = std::unique_ptr<X509, decltype(&::X509_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&::EVP_PKEY_free)>;

Bio reader(const std::string& text) {
  return {::BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &::BIO_free};
}

// A key with a passphrase would make OpenSSL ask for it on the terminal.
int no_passphrase(char*, int, int, void*) { return 0; }

Certificate next_certificate(const Bio& from) {
  return {::PEM_read_bio_X509(from.get(), nullptr, no_passphrase, nullptr), &::X509_free};
}

Error bad(const std::string& what) {
  const std::string why = tls_error();
  return {ErrorCode::invalid_input, what + (why.empty() ? "" : ": " + why)};
}

Result<TlsContext> new_context(const SSL_METHOD* method) {
  TlsContext context(::SSL_CTX_new(method), &::SSL_CTX_free);
  if (!context || ::SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1) {
    return Error{ErrorCode::internal, "OpenSSL: " + tls_error()};
  }
  ::SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                           SSL_OP_CIPHER_SERVER_PREFERENCE);
  return context;
}

Result<Ok> use_identity(const TlsContext& context, const std::string& certificate,
                        const std::string& key) {
  const Bio chain = reader(certificate);
  const Certificate own = next_certificate(chain);
  if (!own || ::SSL_CTX_use_certificate(context.get(), own.get()) != 1) {
    return bad("the certificate is no PEM text of one");
  }
  while (Certificate between = next_certificate(chain)) {
    if (::SSL_CTX_add0_chain_cert(context.get(), between.get()) != 1) {
      return bad("the certificate's chain cannot be used");
    }
    [[maybe_unused]] X509* taken = between.release();
  }
  ::ERR_clear_error();  // the end of the text is one
  const Bio from = reader(key);
  const Key private_key(::PEM_read_bio_PrivateKey(from.get(), nullptr, no_passphrase, nullptr),
                        &::EVP_PKEY_free);
  if (!private_key) return bad("the key is no PEM text of one without a passphrase");
  if (::SSL_CTX_use_PrivateKey(context.get(), private_key.get()) != 1 ||
      ::SSL_CTX_check_private_key(context.get()) != 1) {
    return bad("the key does not fit the certificate");
  }
  return Ok{};
}

Result<Ok> trust(const TlsContext& context, const std::string& authorities) {
  const Bio from = reader(authorities);
  int n = 0;
  while (const Certificate one = next_certificate(from)) {
    if (::X509_STORE_add_cert(::SSL_CTX_get_cert_store(context.get()), one.get()) != 1 ||
        ::SSL_CTX_add_client_CA(context.get(), one.get()) != 1) {
      return bad("the authority cannot be used");
    }
    ++n;
  }
  if (n == 0) return bad("the authority is no PEM text of a certificate");
  ::ERR_clear_error();
  return Ok{};
}

}  // namespace

std::string tls_error() {
  const unsigned long code = ::ERR_peek_last_error();
  ::ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ::ERR_reason_error_string(code);
  return reason == nullptr ? "" : reason;
}

Result<TlsContext> server_context(const ServerTls& tls) {
  auto context = TRY(new_context(::TLS_server_method()));
  TRY(use_identity(context, tls.certificate, tls.key));
  // Connections are kept; a resumed one would outlive the authority that let it in.
  ::SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  ::SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET);
  ::SSL_CTX_set_num_tickets(context.get(), 0);
  if (!tls.client_ca.empty()) {
    TRY(trust(context, tls.client_ca), "client_ca");
    ::SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  return context;
}

Result<TlsContext> client_context(const ClientTls& tls) {
  auto context = TRY(new_context(::TLS_client_method()));
  if (tls.certificate.empty() != tls.key.empty()) {
    return Error{ErrorCode::invalid_input, "a client certificate and its key go together"};
  }
  if (!tls.certificate.empty()) TRY(use_identity(context, tls.certificate, tls.key));
  if (tls.ca.empty()) {
    if (::SSL_CTX_set_default_verify_paths(context.get()) != 1)
      return bad("this host's authorities");
  } else {
    TRY(trust(context, tls.ca), "ca");
  }
  ::SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  return context;
}

}  // namespace auscult::net
