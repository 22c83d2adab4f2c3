#include "grpc/front.h"

#include <grpc/support/log.h>
#include <grpc/support/time.h>
#include <grpcpp/alarm.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/text.h"
#include "grpc/address.h"
#include "grpc/error_details.h"
#include "grpc/message.h"

namespace auscult::grpc {
namespace {

// This namespace hides gRPC's.
namespace rpc = ::grpc;
using rpc::StatusCode;
using wire::Signal;

constexpr std::chrono::milliseconds stop_grace{2'000};      // for calls in flight when stopping
constexpr std::chrono::milliseconds idle_timeout{120'000};  // a connection without a call
constexpr std::chrono::seconds retry_after{1};              // where the front itself is too busy
// Clients take 8 KiB of metadata. A byte becomes up to three as U+FFFD, each of these three in the
// status and four thirds in its details.
constexpr size_t max_status_bytes = 512;
constexpr size_t max_metadata_bytes = 16U << 10U;  // of one call: a token of OpenID has some KiB

struct Method {
  std::string_view name;
  Signal signal;
};

// opentelemetry-proto 1.x, collector/*/v1/*_service.proto.
constexpr Method methods[] = {
    {"/opentelemetry.proto.collector.metrics.v1.MetricsService/Export", Signal::metrics},
    {"/opentelemetry.proto.collector.logs.v1.LogsService/Export", Signal::logs},
    {"/opentelemetry.proto.collector.trace.v1.TraceService/Export", Signal::traces},
};

const Method* find_method(std::string_view name) {
  const auto* found = std::ranges::find(methods, name, &Method::name);
  return found == std::end(methods) ? nullptr : found;
}

gpr_timespec after(std::chrono::milliseconds wait) {
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                      gpr_time_from_millis(wait.count(), GPR_TIMESPAN));
}

// Shared with replies, which may outlive the front.
struct Shared {
  std::atomic<uint64_t> calls = 0;
  std::atomic<uint64_t> refused = 0;
  std::atomic<size_t> body_bytes = 0;

  mutable std::mutex mutex;
  std::condition_variable idle;
  size_t in_flight = 0;
};

// A share of the bytes that may be with the handler at once.
class BodyBytes {
 public:
  explicit BodyBytes(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
  BodyBytes(const BodyBytes&) = delete;
  BodyBytes& operator=(const BodyBytes&) = delete;
  ~BodyBytes() { release(); }

  // Once.
  bool take(size_t bytes, size_t limit) {
    held_ = bytes;
    return shared_->body_bytes.fetch_add(bytes) + bytes <= limit;
  }
  void release() { shared_->body_bytes.fetch_sub(held_.exchange(0)); }

 private:
  std::shared_ptr<Shared> shared_;  // shared: see Shared
  std::atomic<size_t> held_ = 0;
};

std::string bytes_of(const rpc::ByteBuffer& buffer) {
  std::string bytes;
  bytes.reserve(buffer.Length());
  std::vector<rpc::Slice> slices;
  if (buffer.Dump(&slices).ok()) {
    for (const auto& slice : slices) {
      bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
    }
  }
  return bytes;
}

rpc::Status status_of(const Answer& answer) {
  if (answer.grpc_status == StatusCode::OK) return rpc::Status::OK;
  const std::string message =
      valid_utf8(std::string_view(answer.message).substr(0, max_status_bytes));
  return {static_cast<StatusCode>(answer.grpc_status), message,
          answer.retry_after ? retry_details(answer.grpc_status, message, *answer.retry_after)
                             : std::string()};
}

Answer error(StatusCode code, std::string message) {
  return {.grpc_status = code, .message = std::move(message)};
}

Answer too_busy(std::string message) {
  return {.grpc_status = StatusCode::UNAVAILABLE,
          .message = std::move(message),
          .retry_after = retry_after};
}

// One call, from its first byte to its last. gRPC calls it from several of its threads, the handler
// answers from any.
class Exchange : public rpc::ServerGenericBidiReactor,
                 public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(std::shared_ptr<Shared> shared, const Options& options, const Handler& handler,
           rpc::GenericCallbackServerContext& context)
      : shared_(std::move(shared)), options_(options), handler_(handler), context_(context) {}

  // gRPC owns the exchange until OnDone.
  rpc::ServerGenericBidiReactor* start(bool welcome) {
    self_ = shared_from_this();
    method_ = find_method(context_.method());
    if (method_ == nullptr) {
      refuse(error(StatusCode::UNIMPLEMENTED,
                   "OTLP is at Export of opentelemetry.proto.collector.metrics.v1.MetricsService, "
                   "logs.v1.LogsService and trace.v1.TraceService"));
    } else if (!welcome) {
      refuse(too_busy("too many calls at once"));
    } else {
      // Weak: the alarm keeps its function, and the exchange its alarm.
      alarm_.Set(after(options_.read_timeout),
                 [weak = weak_from_this(), timeout = options_.read_timeout](bool expired) {
                   if (const auto self = weak.lock(); self && expired) self->time_out(timeout);
                 });
      StartRead(&incoming_);
    }
    return this;
  }

  void OnReadDone(bool ok) override {
    if (ok && !has_message_) {
      has_message_ = true;
      message_.Swap(&incoming_);
      StartRead(&incoming_);  // the end of the client's stream, in a unary call
    } else if (ok) {
      refuse(error(StatusCode::INVALID_ARGUMENT, "an export is one message, more than one came"));
    } else if (context_.IsCancelled()) {
      finish(error(StatusCode::CANCELLED, "cancelled"));
    } else if (!has_message_) {
      refuse(error(StatusCode::INVALID_ARGUMENT, "an export is one message, none came"));
    } else {
      handle();
    }
  }

  void OnCancel() override { finish(error(StatusCode::CANCELLED, "cancelled")); }

  void OnDone() override {
    alarm_.Cancel();
    outgoing_.Clear();
    {
      const std::lock_guard lock(shared_->mutex);
      --shared_->in_flight;
      shared_->idle.notify_all();
    }
    const auto last = std::move(self_);
  }

  // The first answer counts. After it nothing of the front's is touched.
  void finish(const Answer& answer, bool refused = false) {
    {
      const std::lock_guard lock(mutex_);
      if (finished_) return;
      finished_ = true;
    }
    if (refused) ++shared_->refused;
    const rpc::Status status = status_of(answer);
    if (!status.ok()) return Finish(status);
    const rpc::Slice slice(answer.body);
    outgoing_ = rpc::ByteBuffer(&slice, 1);
    StartWriteAndFinish(&outgoing_, rpc::WriteOptions(), status);
  }

  void refuse(const Answer& answer) { finish(answer, true); }

 private:
  void time_out(std::chrono::milliseconds timeout) {
    refuse(error(StatusCode::DEADLINE_EXCEEDED,
                 "the message did not come within " + std::to_string(timeout.count()) + " ms"));
  }

  void handle();

  std::shared_ptr<Shared> shared_;
  const Options& options_;
  const Handler& handler_;
  rpc::GenericCallbackServerContext& context_;
  const Method* method_ = nullptr;
  std::shared_ptr<Exchange> self_;  // shared: gRPC, the alarm and the replies end in any order
  rpc::Alarm alarm_;
  rpc::ByteBuffer incoming_;
  rpc::ByteBuffer message_;
  bool has_message_ = false;
  rpc::ByteBuffer outgoing_;

  std::mutex mutex_;
  bool finished_ = false;
};

// The answer that is still owed for one call; shared by the copies of its Reply.
class Pending {
 public:
  explicit Pending(std::shared_ptr<Exchange> exchange, std::shared_ptr<Shared> shared)
      : exchange_(std::move(exchange)), bytes_(std::move(shared)) {}
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  ~Pending() {
    if (!done_) exchange_->refuse(error(StatusCode::INTERNAL, "the call was not answered"));
  }

  bool take(size_t bytes, size_t limit) { return bytes_.take(bytes, limit); }
  void answer(const Answer& answer, bool refused = false) {
    if (done_.exchange(true)) return;
    bytes_.release();
    exchange_->finish(answer, refused);
  }

 private:
  std::shared_ptr<Exchange> exchange_;  // shared: see Exchange
  BodyBytes bytes_;
  std::atomic<bool> done_ = false;
};

void Exchange::handle() {
  alarm_.Cancel();
  {
    const std::lock_guard lock(mutex_);
    if (finished_) return;
  }
  auto body = unpack(bytes_of(message_), options_.max_message_bytes);
  message_.Clear();
  if (!body) return refuse(error(StatusCode::INVALID_ARGUMENT, body.error().message));
  auto pending = std::make_shared<Pending>(shared_from_this(), shared_);
  if (!pending->take(body->size(), options_.max_inflight_body_bytes)) {
    return pending->answer(too_busy("too many bytes at once"), true);
  }
  Call call{
      .signal = method_->signal, .body = *std::move(body), .peer = peer_address(context_.peer())};
  const auto& metadata = context_.client_metadata();
  if (const auto found = metadata.find("authorization"); found != metadata.end()) {
    call.authorization.assign(found->second.data(), found->second.size());
  }
  Reply reply = [pending](const Answer& answer) { pending->answer(answer); };
  pending.reset();
  try {
    handler_(std::move(call), std::move(reply));
  } catch (const std::exception& exception) {
    // The Reply died on the way here and has answered INTERNAL.
    log_error("gRPC handler for " + std::string(method_->name) + ": " + exception.what());
  }
}

// gRPC's lines are for its developers, and a client could provoke any number of them.
void log_of_grpc(gpr_log_func_args* line) {
  log(LogLevel::debug, std::string("gRPC: ") + line->message);
}

int as_int(size_t value) {
  return static_cast<int>(std::min<size_t>(value, std::numeric_limits<int>::max()));
}

class Service : public rpc::CallbackGenericService {
 public:
  Service(const Options& options, auscult::grpc::Handler handler, std::shared_ptr<Shared> shared)
      : options_(options), handler_(std::move(handler)), shared_(std::move(shared)) {}

  rpc::ServerGenericBidiReactor* CreateReactor(
      rpc::GenericCallbackServerContext* context) override {
    ++shared_->calls;
    bool welcome = true;
    {
      const std::lock_guard lock(shared_->mutex);
      welcome = ++shared_->in_flight <= options_.max_calls;
    }
    return std::make_shared<Exchange>(shared_, options_, handler_, *context)->start(welcome);
  }

 private:
  const Options& options_;
  const auscult::grpc::Handler handler_;  // gRPC's class has a private member of that name
  std::shared_ptr<Shared> shared_;        // shared: see Shared
};

class GrpcFront : public Front {
 public:
  GrpcFront(const Options& options, Handler handler)
      : options_(options),
        shared_(std::make_shared<Shared>()),
        service_(options_, std::move(handler), shared_) {}

  Result<Ok> listen() {
    const std::string address = TRY(listening_address(options_.address, options_.port));
    gpr_set_log_function(log_of_grpc);
    int port = 0;
    rpc::ServerBuilder builder;
    builder.AddListeningPort(address, credentials(), &port);
    builder.RegisterCallbackGenericService(&service_);
    bound(builder);
    server_ = builder.BuildAndStart();
    if (!server_ || port == 0) {
      return why_not().during("listening on " + options_.address + " port " +
                              std::to_string(options_.port));
    }
    port_ = static_cast<uint16_t>(port);
    return Ok{};
  }

  ~GrpcFront() override {
    if (!server_) return;
    server_->Shutdown(after(stop_grace));
    std::unique_lock lock(shared_->mutex);
    shared_->idle.wait(lock, [this] { return shared_->in_flight == 0; });
  }

  uint16_t port() const override { return port_; }

  Stats stats() const override {
    const std::lock_guard lock(shared_->mutex);
    return {.calls = shared_->calls, .refused = shared_->refused, .in_flight = shared_->in_flight};
  }

 private:
  std::shared_ptr<rpc::ServerCredentials> credentials() const {
    if (!options_.tls) return rpc::InsecureServerCredentials();
    const auto& [certificate, key, client_ca] = *options_.tls;
    rpc::SslServerCredentialsOptions ssl(
        client_ca.empty() ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                          : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
    ssl.pem_root_certs = client_ca;
    ssl.pem_key_cert_pairs = {{.private_key = key, .cert_chain = certificate}};
    return rpc::SslServerCredentials(ssl);
  }

  void bound(rpc::ServerBuilder& builder) const {
    builder.SetMaxReceiveMessageSize(as_int(options_.max_message_bytes));
    // gRPC 1.51 compares a message with its limit only when all of it has come, so what is on its
    // way needs a bound of its own. (Its bound on threads is for synchronous services.)
    builder.SetResourceQuota(rpc::ResourceQuota("auscult").Resize(options_.max_buffer_bytes));
    // It unpacks without any limit: the front does it.
    builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
    builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS,
                               as_int(options_.max_calls_per_connection));
    builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, as_int(max_metadata_bytes));
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS,
                               static_cast<int>(idle_timeout.count()));
    // Two servers that share a port would each get a part of the calls.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  }

  Error why_not() const {
    auto bound = try_to_bind(options_.address, options_.port);
    if (!bound) return std::move(bound).error();
    if (!options_.tls) return {ErrorCode::internal, "gRPC did not start"};
    return {ErrorCode::invalid_input,
            "the TLS certificate, its key or the clients' authority cannot be used"};
  }

  const Options options_;
  std::shared_ptr<Shared> shared_;  // shared: see Shared
  Service service_;
  uint16_t port_ = 0;
  std::unique_ptr<rpc::Server> server_;
};

}  // namespace

Result<std::unique_ptr<Front>> Front::start(const Options& options, Handler handler) {
  auto front = std::make_unique<GrpcFront>(options, std::move(handler));
  TRY(front->listen());
  return std::unique_ptr<Front>(std::move(front));
}

}  // namespace auscult::grpc
