#include "net/tls_socket.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>

#include "base/check.h"

namespace auscult::net {
namespace {

int socket_of(BIO* bio) {
  return static_cast<int>(reinterpret_cast<intptr_t>(::BIO_get_data(bio)));
}

bool again(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

// OpenSSL's own socket BIO writes with write(2): a server that left would end the program by
// SIGPIPE.
int send_bytes(BIO* bio, const char* bytes, size_t size, size_t* written) {
  ::BIO_clear_retry_flags(bio);
  const ssize_t n = ::send(socket_of(bio), bytes, size, MSG_NOSIGNAL);
  if (n < 0 && again(errno)) ::BIO_set_retry_write(bio);
  *written = n > 0 ? static_cast<size_t>(n) : 0;
  return n > 0 ? 1 : 0;
}

int receive_bytes(BIO* bio, char* into, size_t size, size_t* read) {
  ::BIO_clear_retry_flags(bio);
  const ssize_t n = ::recv(socket_of(bio), into, size, 0);
  if (n < 0 && again(errno)) ::BIO_set_retry_read(bio);
  if (n == 0) ::BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  *read = n > 0 ? static_cast<size_t>(n) : 0;
  return n > 0 ? 1 : 0;
}

long control(BIO* bio, int command, long, void*) {
  if (command == BIO_CTRL_EOF) return ::BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

BIO_METHOD* quiet_socket() {
  // Made once and for good: connections refer to it until the program ends.
  static BIO_METHOD* const method = [] {
    BIO_METHOD* made = ::BIO_meth_new(::BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "quiet socket");
    CHECK(made != nullptr && ::BIO_meth_set_write_ex(made, send_bytes) == 1 &&
              ::BIO_meth_set_read_ex(made, receive_bytes) == 1 &&
              ::BIO_meth_set_ctrl(made, control) == 1,
          "a table of three functions is made");
    return made;
  }();
  return method;
}

}  // namespace

Result<TlsSocket> TlsSocket::create(const TlsContext& context, int socket,
                                    const std::string& host) {
  Ssl ssl(::SSL_new(context.get()), &::SSL_free);
  BIO* bio = ssl ? ::BIO_new(quiet_socket()) : nullptr;
  if (bio == nullptr) return Error{ErrorCode::unavailable, "OpenSSL: " + tls_error()};
  ::BIO_set_data(bio, reinterpret_cast<void*>(static_cast<intptr_t>(socket)));
  ::BIO_set_init(bio, 1);
  ::SSL_set_bio(ssl.get(), bio, bio);
  ::SSL_set_mode(ssl.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  const bool is_address =
      ::X509_VERIFY_PARAM_set1_ip_asc(::SSL_get0_param(ssl.get()), host.c_str()) == 1;
  // The name goes along in the greeting; an address may not (RFC 6066).
  if (!is_address && (::SSL_set1_host(ssl.get(), host.c_str()) != 1 ||
                      ::SSL_set_tlsext_host_name(ssl.get(), host.c_str()) != 1)) {
    return Error{ErrorCode::invalid_input, "no host name for TLS: '" + host + "'"};
  }
  ::ERR_clear_error();
  return TlsSocket(std::move(ssl));
}

TlsSocket::Step TlsSocket::shake_hands() {
  ::ERR_clear_error();
  return outcome(::SSL_connect(ssl_.get()), 0);
}

TlsSocket::Step TlsSocket::read(char* into, size_t size) {
  ::ERR_clear_error();
  size_t bytes = 0;
  const int code = ::SSL_read_ex(ssl_.get(), into, size, &bytes);
  return outcome(code, bytes);
}

TlsSocket::Step TlsSocket::write(std::string_view bytes) {
  ::ERR_clear_error();
  size_t written = 0;
  const int code = ::SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &written);
  return outcome(code, written);
}

TlsSocket::Step TlsSocket::outcome(int code, size_t bytes) {
  using State = Step::State;
  if (code == 1) return {.state = State::done, .bytes = bytes};
  const int saved_errno = errno;
  switch (::SSL_get_error(ssl_.get(), code)) {
    case SSL_ERROR_WANT_READ:
      return {.state = State::wait_readable};
    case SSL_ERROR_WANT_WRITE:
      return {.state = State::wait_writable};
    case SSL_ERROR_ZERO_RETURN:
      return {.state = State::closed};
    case SSL_ERROR_SYSCALL:
      if (saved_errno == 0 || saved_errno == ECONNRESET || saved_errno == EPIPE) {
        return {.state = State::closed, .cut = true};
      }
      return {.state = State::failed, .error = std::generic_category().message(saved_errno)};
    default:
      break;
  }
  if (ERR_GET_REASON(::ERR_peek_last_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
    ::ERR_clear_error();
    return {.state = State::closed, .cut = true};
  }
  const long verified = ::SSL_get_verify_result(ssl_.get());
  std::string why = tls_error();
  if (verified != X509_V_OK) {
    why = std::string("the server's certificate: ") + ::X509_verify_cert_error_string(verified);
  }
  return {.state = State::failed, .error = "TLS: " + (why.empty() ? "protocol error" : why)};
}

}  // namespace auscult::net
