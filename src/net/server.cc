#include "net/server.h"

// Asio 1.74 uses std::exchange in awaitable.hpp without including <utility>; net/http.h brings it.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>

#include "base/log.h"
#include "net/target.h"

namespace auscult::net {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::seconds idle_timeout{120};   // between requests of one connection
constexpr std::chrono::seconds write_timeout{120};  // a client that does not read its answer
// After an error the client may still be sending: closing at once would reset the connection and
// destroy the answer on its way. Read on for this long.
constexpr std::chrono::seconds linger_timeout{2};
constexpr std::chrono::seconds handshake_timeout{10};   // of TLS, from the first byte to the last
constexpr std::chrono::seconds stop_grace{2};           // for answers on their way when stopping
constexpr std::chrono::milliseconds accept_pause{100};  // when out of file descriptors
constexpr size_t max_refusing = 64;  // connections over the limit that still get a 503
constexpr size_t first_read_bytes = 4096;
constexpr std::string_view retry_after_s = "1";

// Shared with replies, which may outlive the server.
struct Shared {
  std::atomic<uint64_t> requests = 0;
  std::atomic<uint64_t> refused = 0;
  std::atomic<size_t> body_bytes = 0;

  // While open, sessions and their io_context exist. Whoever reaches for a session from outside the
  // I/O threads holds the mutex meanwhile.
  std::mutex mutex;
  bool open = true;
};

// A share of the bytes that bodies may hold at once.
class BodyBytes {
 public:
  BodyBytes(std::shared_ptr<Shared> shared, size_t limit)
      : shared_(std::move(shared)), limit_(limit) {}
  BodyBytes(BodyBytes&& other) noexcept
      : shared_(std::move(other.shared_)),
        limit_(other.limit_),
        held_(std::exchange(other.held_, 0)) {}
  BodyBytes& operator=(BodyBytes&&) = delete;
  ~BodyBytes() { release(); }

  // Whether `bytes` fit now, without taking them: a claim in a header must not reserve anything.
  bool would_fit(uint64_t bytes) const { return bytes <= limit_ - std::min(limit_, used()); }

  bool grow_to(size_t bytes) {
    const size_t more = bytes - held_;
    if (shared_->body_bytes.fetch_add(more) + more > limit_) {
      shared_->body_bytes.fetch_sub(more);
      return false;
    }
    held_ = bytes;
    return true;
  }
  void release() {
    if (held_ > 0) shared_->body_bytes.fetch_sub(std::exchange(held_, 0));
  }

 private:
  size_t used() const { return shared_->body_bytes.load(); }

  std::shared_ptr<Shared> shared_;  // shared: see Shared
  size_t limit_;
  size_t held_ = 0;
};

auto into(error_code& error) { return asio::redirect_error(asio::use_awaitable, error); }

// A header that contains a line break would end the header section early.
bool is_one_line(std::string_view text) { return text.find_first_of("\r\n") == text.npos; }

bool has_no_body(int status) { return status < 200 || status == 204 || status == 304; }

// A connection with or without TLS on it, as the one type that Beast's algorithms read and write.
class Wire {
 public:
  using executor_type = beast::tcp_stream::executor_type;

  Wire(tcp::socket socket, const TlsContext& tls) : tcp_(std::move(socket)) {
    if (!tls) return;
    ::SSL_CTX_up_ref(tls.get());
    asio::ssl::context context(tls.get());  // takes the reference; each SSL has one of its own
    secured_.emplace(tcp_, context);
  }

  executor_type get_executor() { return tcp_.get_executor(); }
  beast::tcp_stream& plain() { return tcp_; }
  asio::ssl::stream<beast::tcp_stream&>* tls() { return secured_ ? &*secured_ : nullptr; }

  template <typename Buffers, typename Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return secured_ ? secured_->async_read_some(buffers, std::forward<Token>(token))
                    : tcp_.async_read_some(buffers, std::forward<Token>(token));
  }
  template <typename Buffers, typename Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return secured_ ? secured_->async_write_some(buffers, std::forward<Token>(token))
                    : tcp_.async_write_some(buffers, std::forward<Token>(token));
  }

 private:
  beast::tcp_stream tcp_;
  std::optional<asio::ssl::stream<beast::tcp_stream&>> secured_;
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, const TlsContext& tls, const ServerOptions& options,
          const Handler& handler, std::shared_ptr<Shared> shared)
      : stream_(std::move(socket), tls),
        answered_(stream_.get_executor()),
        options_(options),
        handler_(handler),
        shared_(std::move(shared)) {
    error_code error;
    const auto remote = stream_.plain().socket().remote_endpoint(error);
    if (!error) {
      const auto address = remote.address().to_string();
      remote_ = (remote.address().is_v6() ? "[" + address + "]" : address) + ":" +
                std::to_string(remote.port());
    }
    stream_.plain().socket().set_option(tcp::no_delay(true), error);
  }

  asio::awaitable<void> run() {
    // Not `while (!stopping_ && co_await ...)`: g++ 12 miscompiles that.
    bool keep_alive = co_await shake_hands();
    while (keep_alive && !stopping_) keep_alive = co_await serve_one();
    co_await say_goodbye();
    close();
  }

  // One 503 for a connection above the limit. Under TLS it would cost a handshake, so that one is
  // closed without a word.
  asio::awaitable<void> turn_away() {
    if (stream_.tls() == nullptr) co_await refuse(503, "too many connections");
    close();
  }

  // From any thread, while Shared is open.
  void post_answer(Response response) {
    asio::post(stream_.get_executor(),
               [self = shared_from_this(), answer = std::move(response)]() mutable {
                 self->answer(std::move(answer));
               });
  }
  void post_stop() {
    asio::post(stream_.get_executor(), [self = shared_from_this()] { self->stop(); });
  }

 private:
  enum class State : uint8_t { reading, waiting, writing };

  asio::awaitable<bool> shake_hands() {
    if (stream_.tls() == nullptr) co_return true;
    error_code error;
    stream_.plain().expires_after(handshake_timeout);
    co_await stream_.tls()->async_handshake(asio::ssl::stream_base::server, into(error));
    if (error) ++shared_->refused;
    is_secure_ = !error;
    co_return is_secure_;
  }

  // Tells the client that nothing was cut off, where TLS has a word for it.
  asio::awaitable<void> say_goodbye() {
    if (!is_secure_ || stopping_ || !stream_.plain().socket().is_open()) co_return;
    error_code ignored;
    stream_.plain().expires_after(linger_timeout);
    co_await stream_.tls()->async_shutdown(into(ignored));
  }

  void answer(Response response) {
    if (state_ != State::waiting || answer_) return;
    answer_ = std::move(response);
    answered_.cancel();
  }

  void stop() {
    stopping_ = true;
    if (state_ == State::waiting) {
      if (!answer_) ++shared_->refused;
      answer(unavailable("the server is stopping"));
    } else if (state_ == State::reading) {
      close();
    }
  }

  void close() {
    error_code ignored;
    stream_.plain().socket().shutdown(tcp::socket::shutdown_both, ignored);
    stream_.plain().close();
  }

  static Response unavailable(const std::string& message) {
    Response response = text_response(503, message + "\n");
    response.headers.emplace_back("Retry-After", retry_after_s);
    return response;
  }

  // Reads one request and answers it. False: the connection is done.
  asio::awaitable<bool> serve_one() {
    error_code error;
    state_ = State::reading;
    if (buffer_.size() == 0) {
      stream_.plain().expires_after(idle_timeout);
      const size_t bytes =
          co_await stream_.async_read_some(buffer_.prepare(first_read_bytes), into(error));
      if (error) co_return false;
      buffer_.commit(bytes);
    }
    // One deadline for header and body together, so that a trickle does not extend it.
    stream_.plain().expires_after(options_.read_timeout);
    http::request_parser<http::string_body> parser;
    parser.header_limit(static_cast<uint32_t>(
        std::min<size_t>(options_.max_header_bytes, std::numeric_limits<uint32_t>::max())));
    parser.body_limit(options_.max_body_bytes);
    co_await http::async_read_header(stream_, buffer_, parser, into(error));
    if (error) co_return co_await refuse_unreadable(error);

    auto request = request_of(parser.get());
    if (!request) co_return co_await refuse(400, request.error().message);
    if (options_.admit) {
      if (auto refusal = admit(*request)) co_return co_await refuse(*std::move(refusal));
    }
    BodyBytes held(shared_, options_.max_inflight_body_bytes);
    if (parser.content_length() && !held.would_fit(*parser.content_length())) {
      co_return co_await refuse(503, "too many request bodies at once");
    }
    if (!parser.is_done() && expects_continue(parser.get())) {
      static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
      co_await asio::async_write(stream_, asio::buffer(go_on), into(error));
      if (error) co_return false;
    }
    while (!parser.is_done()) {
      co_await http::async_read_some(stream_, buffer_, parser, into(error));
      if (error) co_return co_await refuse_unreadable(error);
      if (!held.grow_to(parser.get().body().size())) {
        co_return co_await refuse(503, "too many request bodies at once");
      }
    }
    request->body = std::move(parser.get().body());
    const Form form{.version = parser.get().version(),
                    .head = parser.get().method() == http::verb::head,
                    .keep_alive = parser.get().keep_alive()};
    co_return co_await handle(*std::move(request), form, std::move(held));
  }

  // Without the body.
  Result<Request> request_of(const http::request<http::string_body>& message) const {
    auto target = TRY(parse_target({message.target().data(), message.target().size()}));
    Request request{.method = std::string(message.method_string()),
                    .path = std::move(target.path),
                    .query = std::move(target.query),
                    .headers = {},
                    .body = {},
                    .remote = remote_};
    for (const auto& field : message) {
      request.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
    }
    return request;
  }

  std::optional<Response> admit(Request& request) const {
    try {
      auto refusal = options_.admit(request);
      if (refusal && request.method == "HEAD") refusal->body.clear();
      return refusal;
    } catch (const std::exception& exception) {
      log_error("admitting " + request.path + ": " + exception.what());
      return text_response(500, "the request could not be checked\n");
    }
  }

  static bool expects_continue(const http::request<http::string_body>& message) {
    return message.version() >= 11 && beast::iequals(message[http::field::expect], "100-continue");
  }

  asio::awaitable<bool> refuse_unreadable(error_code error) {
    if (error == http::error::header_limit) co_return co_await refuse(431, "header too large");
    if (error == http::error::body_limit) {
      co_return co_await refuse(
          413, "the limit is " + std::to_string(options_.max_body_bytes) + " bytes");
    }
    const bool client_left =
        error == http::error::end_of_stream || error == http::error::partial_message;
    const bool bad_http = error.category() == http::make_error_code(http::error{}).category();
    if (client_left || !bad_http) co_return false;
    co_return co_await refuse(400, "bad HTTP request: " + error.message());
  }

  // An answer of the server itself, after which the connection ends.
  asio::awaitable<bool> refuse(int status, std::string message) {
    Response response =
        status == 503 ? unavailable(message) : text_response(status, std::move(message) + "\n");
    co_return co_await refuse(std::move(response));
  }
  asio::awaitable<bool> refuse(Response response) {
    ++shared_->refused;
    co_await write(std::move(response), {.version = 11, .head = false, .keep_alive = false});
    state_ = State::reading;
    error_code error;
    if (!is_secure_) stream_.plain().socket().shutdown(tcp::socket::shutdown_send, error);
    stream_.plain().expires_after(linger_timeout);
    buffer_.clear();
    while (!error && !stopping_) {
      co_await stream_.async_read_some(buffer_.prepare(first_read_bytes), into(error));
    }
    co_return false;
  }

  struct Form {
    unsigned version = 11;
    bool head = false;
    bool keep_alive = true;
  };

  asio::awaitable<bool> handle(Request request, Form form, BodyBytes held);

  // False when the connection is to be closed.
  asio::awaitable<bool> write(Response response, Form form) {
    state_ = State::writing;
    if (response.status < 200 || response.status > 599) response.status = 500;
    http::response<http::string_body> message;
    message.version(form.version);
    message.result(static_cast<unsigned>(response.status));
    for (const auto& [name, value] : response.headers) {
      if (is_one_line(name) && is_one_line(value)) message.insert(name, value);
    }
    message.keep_alive(form.keep_alive && !stopping_);
    if (has_no_body(response.status)) {
      message.erase(http::field::content_length);
    } else {
      message.content_length(response.body.size());
      message.body() = std::move(response.body);
    }
    stream_.plain().expires_after(write_timeout);
    error_code error;
    http::response_serializer<http::string_body> serializer(message);
    if (form.head) {
      co_await http::async_write_header(stream_, serializer, into(error));
    } else {
      co_await http::async_write(stream_, serializer, into(error));
    }
    co_return !error && message.keep_alive();
  }

  Wire stream_;
  asio::steady_timer answered_;  // cancelled to wake the coroutine that waits for the answer
  const ServerOptions& options_;
  const Handler& handler_;
  std::shared_ptr<Shared> shared_;  // shared: see Shared
  std::string remote_;
  beast::flat_buffer buffer_;
  State state_ = State::reading;
  bool stopping_ = false;
  bool is_secure_ = false;  // the handshake was done
  std::optional<Response> answer_;
};

// The answer that is still owed for one request; shared by the copies of its Reply.
class Pending {
 public:
  Pending(std::shared_ptr<Shared> shared, std::weak_ptr<Session> session, BodyBytes held)
      : shared_(std::move(shared)), session_(std::move(session)), held_(std::move(held)) {}
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  ~Pending() {
    if (done_) return;
    ++shared_->refused;
    answer(text_response(500, "the request was not answered\n"));
  }

  void answer(Response response) {
    if (done_.exchange(true)) return;
    held_.release();
    const std::lock_guard lock(shared_->mutex);
    if (!shared_->open) return;
    // Weak, because a session must not live longer than its io_context, as a Reply may.
    if (const auto session = session_.lock()) session->post_answer(std::move(response));
  }

 private:
  std::shared_ptr<Shared> shared_;  // shared: see Shared
  std::weak_ptr<Session> session_;
  BodyBytes held_;
  std::atomic<bool> done_ = false;
};

asio::awaitable<bool> Session::handle(Request request, Form form, BodyBytes held) {
  ++shared_->requests;
  const std::string path = request.path;
  state_ = State::waiting;
  answer_.reset();
  stream_.plain().expires_never();
  try {
    auto pending = std::make_shared<Pending>(shared_, weak_from_this(), std::move(held));
    Reply reply = [pending](Response response) { pending->answer(std::move(response)); };
    pending.reset();
    handler_(std::move(request), std::move(reply));
  } catch (const std::exception& exception) {
    // The Reply died on the way here and has answered 500.
    log_error("HTTP handler for " + path + ": " + exception.what());
  } catch (...) {
    log_error("HTTP handler for " + path + ": unknown exception");
  }
  while (!answer_) {
    error_code woken;
    answered_.expires_at(asio::steady_timer::time_point::max());
    co_await answered_.async_wait(into(woken));
  }
  co_return co_await write(*std::exchange(answer_, std::nullopt), form);
}

class BeastServer : public HttpServer {
 public:
  BeastServer(const ServerOptions& options, Handler handler)
      : options_(options),
        handler_(std::move(handler)),
        shared_(std::make_shared<Shared>()),
        tls_(options.tls),
        io_(static_cast<int>(std::max<size_t>(options.threads, 1))),
        work_(io_.get_executor()),
        acceptor_(asio::make_strand(io_)) {}

  Result<Ok> listen() {
    const std::string where = options_.address + " port " + std::to_string(options_.port);
    error_code error;
    const auto address = asio::ip::make_address(options_.address, error);
    if (error) return Error{ErrorCode::invalid_input, "no IP address: " + options_.address};
    const tcp::endpoint endpoint(address, options_.port);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
    if (error == asio::error::address_in_use) {
      return Error{ErrorCode::unavailable, "listening on " + where + ": the port is taken"};
    }
    if (error)
      return Error{ErrorCode::unavailable, "listening on " + where + ": " + error.message()};
    port_ = acceptor_.local_endpoint(error).port();
    raise_open_file_limit();
    asio::co_spawn(acceptor_.get_executor(), accept(), [](const std::exception_ptr&) {});
    for (size_t i = 0; i < std::max<size_t>(options_.threads, 1); ++i) {
      threads_.emplace_back([this] { run(); });
    }
    return Ok{};
  }

  ~BeastServer() override {
    asio::post(acceptor_.get_executor(), [this] {
      error_code ignored;
      acceptor_.close(ignored);
    });
    {
      std::unique_lock lock(sessions_mutex_);
      stopping_ = true;
      for (const auto& [key, session] : sessions_) {
        if (const auto alive = session.lock()) alive->post_stop();
      }
      no_session_.wait_for(lock, stop_grace, [this] { return sessions_.empty(); });
    }
    {
      const std::lock_guard lock(shared_->mutex);
      shared_->open = false;
    }
    io_.stop();
    threads_.clear();
  }

  uint16_t port() const override { return port_; }

  void set_tls(TlsContext tls) override {
    const std::lock_guard lock(sessions_mutex_);
    if (tls_ && tls) tls_ = std::move(tls);
  }

  ServerStats stats() const override {
    const std::lock_guard lock(sessions_mutex_);
    return {.requests = shared_->requests,
            .refused = shared_->refused,
            .connections = sessions_.size()};
  }

 private:
  void run() {
    while (true) {
      try {
        io_.run();
        return;
      } catch (const std::exception& exception) {
        log_error(std::string("HTTP server: ") + exception.what());
      }
    }
  }

  // Every connection is a file descriptor; the usual soft limit is 1024.
  void raise_open_file_limit() const {
    constexpr rlim_t others = 256;  // files that are no connections
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    const rlim_t wanted = std::min<rlim_t>(options_.max_connections + others, limit.rlim_max);
    if (limit.rlim_cur >= wanted) return;
    limit.rlim_cur = wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
  }

  asio::awaitable<void> accept() {
    asio::steady_timer pause(acceptor_.get_executor());
    while (acceptor_.is_open()) {
      error_code error;
      tcp::socket socket = co_await acceptor_.async_accept(asio::make_strand(io_), into(error));
      if (error == asio::error::operation_aborted) co_return;
      if (error) {
        pause.expires_after(accept_pause);
        co_await pause.async_wait(into(error));
        continue;
      }
      try {
        start_session(std::move(socket));
      } catch (const std::exception& exception) {
        log_error(std::string("accepting a connection: ") + exception.what());
      }
    }
  }

  void start_session(tcp::socket socket) {
    const auto executor = socket.get_executor();
    TlsContext tls;
    {
      const std::lock_guard lock(sessions_mutex_);
      tls = tls_;
    }
    auto session = std::make_shared<Session>(std::move(socket), tls, options_, handler_, shared_);
    bool welcome = true;
    {
      const std::lock_guard lock(sessions_mutex_);
      if (stopping_ || sessions_.size() >= options_.max_connections + max_refusing) return;
      welcome = sessions_.size() < options_.max_connections;
      sessions_.emplace(session.get(), session);
    }
    // The lambda of the completion keeps the session while its coroutine runs.
    asio::co_spawn(executor, welcome ? session->run() : session->turn_away(),
                   [this, session](const std::exception_ptr&) {
                     const std::lock_guard lock(sessions_mutex_);
                     sessions_.erase(session.get());
                     if (sessions_.empty()) no_session_.notify_all();
                   });
  }

  const ServerOptions options_;
  const Handler handler_;
  std::shared_ptr<Shared> shared_;  // shared: see Shared
  uint16_t port_ = 0;

  mutable std::mutex sessions_mutex_;
  std::condition_variable no_session_;
  bool stopping_ = false;
  TlsContext tls_;
  std::unordered_map<const Session*, std::weak_ptr<Session>> sessions_;

  // Destroyed before what its coroutines refer to.
  asio::io_context io_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  tcp::acceptor acceptor_;
  std::vector<std::jthread> threads_;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::start(const ServerOptions& options,
                                                      Handler handler) {
  try {
    auto server = std::make_unique<BeastServer>(options, std::move(handler));
    TRY(server->listen());
    return std::unique_ptr<HttpServer>(std::move(server));
  } catch (const std::exception& exception) {
    return Error{ErrorCode::internal, std::string("starting the HTTP server: ") + exception.what()};
  }
}

}  // namespace auscult::net
