#include "net/client.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cerrno>
#include <limits>
#include <optional>
#include <system_error>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "net/tls_socket.h"

namespace auscult::net {
namespace {

namespace http = boost::beast::http;
using std::chrono::nanoseconds;

constexpr uint32_t max_answer_header_bytes = 64U << 10U;
constexpr size_t read_step_bytes = 16U << 10U;

// One error, and whether the server may be unaware of the request: a kept connection that it
// closed.
struct Failure {
  Error error;
  bool retry = false;
  bool over = false;  // timed out or cancelled: nothing else is worth trying
};

Failure failure(std::string message, bool retry = false) {
  return {.error = {ErrorCode::unavailable, std::move(message)}, .retry = retry};
}

Failure the_end(std::string message) {
  return {.error = {ErrorCode::unavailable, std::move(message)}, .over = true};
}

Failure errno_failure(std::string_view doing, bool retry = false) {
  return failure(std::string(doing) + ": " + std::generic_category().message(errno), retry);
}

std::string host_header(const Url& url) {
  const bool v6 = url.host.find(':') != std::string::npos;
  return (v6 ? "[" + url.host + "]" : url.host) + ":" + std::to_string(url.port);
}

bool is_one_line(std::string_view text) { return text.find_first_of("\r\n") == text.npos; }

Error bad_url(std::string_view text, std::string_view why) {
  return {ErrorCode::invalid_input, "URL '" + std::string(text) + "': " + std::string(why)};
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
  const bool tls = text.starts_with("https://");
  const std::string_view scheme = tls ? "https://" : "http://";
  if (!text.starts_with(scheme)) {
    return bad_url(text, "it must begin with http:// or https://");
  }
  const std::string_view rest = text.substr(scheme.size());
  const auto end = std::min(rest.find_first_of("/?#"), rest.size());
  std::string_view authority = rest.substr(0, end);
  Url url{.tls = tls, .host = {}, .port = static_cast<uint16_t>(tls ? 443 : 80)};
  const auto fragment = std::min(rest.find('#'), rest.size());
  url.path = std::string(rest.substr(end, fragment - std::min(end, fragment)));
  if (url.path.empty() || url.path.front() != '/') url.path.insert(0, "/");
  if (!is_one_line(url.path) || url.path.find(' ') != std::string::npos) {
    return bad_url(text, "blank or line break in the path");
  }
  if (authority.find('@') != std::string_view::npos) {
    return bad_url(text, "user names in a URL are not supported");
  }
  std::string_view port;
  if (authority.starts_with('[')) {
    const auto bracket = authority.find(']');
    if (bracket == std::string_view::npos) return bad_url(text, "'[' without ']'");
    url.host = std::string(authority.substr(1, bracket - 1));
    port = authority.substr(bracket + 1);
  } else {
    const auto colon = std::min(authority.find(':'), authority.size());
    url.host = std::string(authority.substr(0, colon));
    port = authority.substr(colon);
  }
  if (url.host.empty()) return bad_url(text, "no host");
  if (url.host.find_first_of(" \t\r\n") != std::string::npos) return bad_url(text, "bad host");
  if (port.empty()) return url;
  const auto number = port.front() == ':' ? to_uint(port.substr(1)) : std::nullopt;
  if (!number || *number == 0 || *number > 65535) return bad_url(text, "bad port");
  url.port = static_cast<uint16_t>(*number);
  return url;
}

struct HttpClient::Impl {
  Url url;
  size_t max_answer_bytes = 0;
  FileDescriptor cancel_event;
  TlsContext tls;  // none: cleartext
  FileDescriptor socket;
  std::optional<TlsSocket> tls_socket;  // on `socket`
  nanoseconds deadline{};
  const BodySink* sink = nullptr;  // of the request in flight

  void disconnect() {
    tls_socket.reset();
    socket.reset();
  }

  // Waits for the socket; an error when the deadline passes or cancel() was called.
  std::optional<Failure> wait(short events) {
    while (true) {
      const nanoseconds left = deadline - system_clock().monotonic();
      if (left.count() <= 0) return the_end("timed out");
      std::array<pollfd, 2> fds = {{{socket.get(), events, 0}, {cancel_event.get(), POLLIN, 0}}};
      const timespec time = {.tv_sec = left.count() / ns_per_s, .tv_nsec = left.count() % ns_per_s};
      const int n = ::ppoll(fds.data(), fds.size(), &time, nullptr);
      if (n < 0 && errno != EINTR) return errno_failure("poll");
      if (n <= 0) continue;
      if (fds[1].revents != 0) {
        uint64_t count = 0;
        [[maybe_unused]] const ssize_t taken = ::read(cancel_event.get(), &count, sizeof count);
        return the_end("cancelled");
      }
      return {};
    }
  }

  std::optional<Failure> connect_to(const addrinfo& address) {
    socket.reset(::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket) return errno_failure("socket");
    if (::connect(socket.get(), address.ai_addr, address.ai_addrlen) != 0) {
      if (errno != EINPROGRESS) return errno_failure("connecting");
      if (auto failed = wait(POLLOUT)) return failed;
      int error = 0;
      socklen_t size = sizeof error;
      ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
      errno = error;
      if (error != 0) return errno_failure("connecting");
    }
    const int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return {};
  }

  std::optional<Failure> connect() {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const std::string port = std::to_string(url.port);
    // An address needs no lookup, which nothing here could end.
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
    int code = ::getaddrinfo(url.host.c_str(), port.c_str(), &hints, &found);
    if (code == EAI_NONAME) {
      hints.ai_flags = AI_NUMERICSERV;
      code = ::getaddrinfo(url.host.c_str(), port.c_str(), &hints, &found);
    }
    if (code != 0) {
      return failure(std::string("looking up the host: ") + ::gai_strerror(code));
    }
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, ::freeaddrinfo);
    std::optional<Failure> failed = failure("looking up the host: no address");
    for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
      failed = connect_to(*address);
      if (!failed && url.tls) failed = secure();
      if (!failed) return {};
      if (failed->over) break;
    }
    disconnect();
    return failed;
  }

  std::optional<Failure> secure() {
    auto made = TlsSocket::create(tls, socket.get(), url.host);
    if (!made) return failure(made.error().message);
    tls_socket.emplace(*std::move(made));
    while (true) {
      const auto step = tls_socket->shake_hands();
      if (step.state == TlsSocket::Step::State::done) return {};
      if (auto failed = wait_for(step, "in the handshake")) return failed;
    }
  }

  // Waits as the step says; a failure where there is nothing to wait for.
  std::optional<Failure> wait_for(const TlsSocket::Step& step, std::string_view where) {
    switch (step.state) {
      case TlsSocket::Step::State::wait_readable:
        return wait(POLLIN);
      case TlsSocket::Step::State::wait_writable:
        return wait(POLLOUT);
      case TlsSocket::Step::State::closed:
        return failure("the server closed the connection " + std::string(where));
      default:
        return failure(step.error);
    }
  }

  // Head and body in one call, and no wait before the socket says that it is full: most requests
  // are one packet. `retry_on_close`: the connection was kept, so its end says nothing about this
  // request.
  std::optional<Failure> send(std::string_view head, std::string_view body, bool retry_on_close) {
    if (tls_socket) {
      auto failed = send_secured(head, retry_on_close);
      return failed ? failed : send_secured(body, retry_on_close);
    }
    while (!head.empty() || !body.empty()) {
      std::array<iovec, 2> parts = {{{const_cast<char*>(head.data()), head.size()},
                                     {const_cast<char*>(body.data()), body.size()}}};
      msghdr message{};
      message.msg_iov = parts.data();
      message.msg_iovlen = parts.size();
      const ssize_t n = ::sendmsg(socket.get(), &message, MSG_NOSIGNAL);
      if (n < 0 && errno == EAGAIN) {
        if (auto failed = wait(POLLOUT)) return failed;
        continue;
      }
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) {
        const bool closed = errno == EPIPE || errno == ECONNRESET;
        return errno_failure("sending", closed && retry_on_close);
      }
      const size_t of_head = std::min(static_cast<size_t>(n), head.size());
      head.remove_prefix(of_head);
      body.remove_prefix(static_cast<size_t>(n) - of_head);
    }
    return {};
  }

  std::optional<Failure> send_secured(std::string_view bytes, bool retry_on_close) {
    while (!bytes.empty()) {
      const auto step = tls_socket->write(bytes);
      bytes.remove_prefix(step.bytes);
      if (step.state == TlsSocket::Step::State::done) continue;
      if (auto failed = wait_for(step, "while it was asked")) {
        failed->retry = step.state == TlsSocket::Step::State::closed && retry_on_close;
        return failed;
      }
    }
    return {};
  }

  struct Received {
    size_t bytes = 0;  // 0: the server closed the connection
    bool cut = false;  // TLS ended without its word of farewell
    bool reset = false;
    std::optional<Failure> failed;
  };

  Received receive_some(char* into, size_t size) {
    while (true) {
      if (tls_socket) {
        const auto step = tls_socket->read(into, size);
        if (step.state == TlsSocket::Step::State::done) return {.bytes = step.bytes};
        if (step.state == TlsSocket::Step::State::closed) return {.cut = step.cut};
        if (auto failed = wait_for(step, "")) return {.failed = std::move(failed)};
        continue;
      }
      if (auto failed = wait(POLLIN)) return {.failed = std::move(failed)};
      const ssize_t n = ::recv(socket.get(), into, size, 0);
      if (n >= 0) return {.bytes = static_cast<size_t>(n)};
      if (errno == EINTR || errno == EAGAIN) continue;
      return {.reset = errno == ECONNRESET, .failed = errno_failure("receiving")};
    }
  }

  using Parser = http::response_parser<http::string_body>;

  void prepare(std::optional<Parser>& parser, bool head) const {
    parser.emplace();
    // One element a call: an eager parser goes on to the body where that lies in the same packet as
    // the header, and so past its own error about the length.
    parser->eager(false);
    parser->body_limit(sink == nullptr ? max_answer_bytes : std::numeric_limits<uint64_t>::max());
    parser->header_limit(max_answer_header_bytes);
    parser->skip(head);
  }

  // Reads until the answer is complete.
  std::optional<Failure> receive(std::optional<Parser>& parser, bool head, bool retry_on_close) {
    prepare(parser, head);
    std::string unread;
    bool answered = false;
    std::array<char, read_step_bytes> step{};
    while (!parser->is_done()) {
      auto received = receive_some(step.data(), step.size());
      if (received.failed) {
        received.failed->retry = received.reset && !answered && retry_on_close;
        return std::move(received.failed);
      }
      boost::system::error_code error;
      if (received.bytes == 0) {
        if (!answered) return failure("the server closed the connection", retry_on_close);
        parser->put_eof(error);
        // Who cuts the connection could cut off a part of an answer that ends with it.
        if (error || received.cut) return failure("the answer ends in the middle");
        break;
      }
      answered = true;
      unread.append(step.data(), received.bytes);
      if (auto failed = parse(parser, unread, head)) return failed;
    }
    if (!unread.empty()) disconnect();  // bytes that no request asked for
    return {};
  }

  std::optional<Failure> parse(std::optional<Parser>& parser, std::string& unread,
                               bool head) const {
    while (!unread.empty() && !parser->is_done()) {
      boost::system::error_code error;
      const size_t used = parser->put(boost::asio::buffer(unread), error);
      unread.erase(0, used);
      if (sink != nullptr && parser->is_header_done()) {
        if (auto failed = pass_on(parser->get())) return failed;
      }
      if (error == http::error::need_more) return {};
      if (error) return failure("bad HTTP answer: " + error.message());
      // 100 Continue and its kind come before the answer.
      if (parser->is_done() && parser->get().result_int() / 100 == 1) prepare(parser, head);
      if (used == 0) return {};
    }
    return {};
  }

  // What there is of a body goes on to the sink, so that it is never held whole.
  std::optional<Failure> pass_on(Parser::value_type& message) const {
    std::string& body = message.body();
    if (message.result() != http::status::ok) {
      if (body.size() > max_answer_bytes) return failure("bad HTTP answer: body limit exceeded");
      return {};
    }
    if (body.empty()) return {};
    const auto type = message[http::field::content_type];
    auto taken = (*sink)({type.data(), type.size()}, body);
    body.clear();
    if (taken) return {};
    return Failure{.error = std::move(taken).error(), .over = true};
  }

  // One attempt on the kept connection or a new one.
  std::optional<Failure> attempt(std::string_view head_bytes, std::string_view body, bool is_head,
                                 std::optional<Parser>& parser) {
    const bool kept = static_cast<bool>(socket);
    if (!kept) {
      if (auto failed = connect()) return failed;
    }
    if (auto failed = send(head_bytes, body, kept)) {
      // A server that refuses a body answers and closes while we are still sending.
      if (failed->retry || failed->over || !receive_early(parser, is_head)) return failed;
      return {};
    }
    return receive(parser, is_head, kept);
  }

  bool receive_early(std::optional<Parser>& parser, bool is_head) {
    return !receive(parser, is_head, false).has_value();
  }
};

Result<HttpClient> HttpClient::create(std::string_view base, size_t max_answer_bytes,
                                      TlsContext tls) {
  auto impl = std::make_unique<Impl>();
  impl->url = TRY(parse_url(base));
  impl->tls = std::move(tls);
  if (impl->url.tls && !impl->tls) impl->tls = TRY(client_context({}));
  impl->max_answer_bytes = max_answer_bytes;
  impl->cancel_event.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!impl->cancel_event) return Error{ErrorCode::unavailable, "no file descriptor left"};
  return HttpClient(std::move(impl));
}

HttpClient::HttpClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;
HttpClient::~HttpClient() = default;

Result<Response> HttpClient::request(const std::string& method, const std::string& target,
                                     const Headers& headers, const std::string& body,
                                     std::chrono::milliseconds timeout) {
  const std::string what =
      method + (impl_->url.tls ? " https://" : " http://") + host_header(impl_->url) + target;
  std::string head = method + " " + target + " HTTP/1.1\r\nHost: " + host_header(impl_->url) +
                     "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  for (const auto& [name, value] : headers) {
    head.append(name).append(": ").append(value).append("\r\n");
  }
  const size_t lines = 3 + headers.size();
  if (static_cast<size_t>(std::count(head.begin(), head.end(), '\n')) != lines ||
      static_cast<size_t>(std::count(head.begin(), head.end(), '\r')) != lines) {
    return Error{ErrorCode::invalid_input, what + ": line break in target or header"};
  }
  head += "\r\n";
  impl_->deadline = system_clock().monotonic() + timeout;
  try {
    std::optional<Impl::Parser> parser;
    auto failed = impl_->attempt(head, body, method == "HEAD", parser);
    if (failed && failed->retry) {
      impl_->disconnect();
      failed = impl_->attempt(head, body, method == "HEAD", parser);
    }
    if (failed) {
      impl_->disconnect();
      return std::move(failed->error).during(what);
    }
    auto message = parser->release();
    if (!message.keep_alive()) impl_->disconnect();
    Response response{.status = static_cast<int>(message.result_int()), .headers = {}, .body = {}};
    for (const auto& field : message) {
      response.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
    }
    response.body = std::move(message.body());
    return response;
  } catch (const std::exception& exception) {
    impl_->disconnect();
    return Error{ErrorCode::unavailable, what + ": " + exception.what()};
  }
}

Result<Response> HttpClient::request_streamed(const std::string& method, const std::string& target,
                                              const Headers& headers, const std::string& body,
                                              std::chrono::milliseconds timeout,
                                              const BodySink& sink) {
  impl_->sink = &sink;
  auto response = request(method, target, headers, body, timeout);
  impl_->sink = nullptr;
  return response;
}

void HttpClient::cancel() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t n = ::write(impl_->cancel_event.get(), &one, sizeof one);
}

}  // namespace auscult::net
