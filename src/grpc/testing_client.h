// Client: what tests send to a Front, through gRPC's generic stub.
#pragma once

#include <grpc/support/time.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace auscult::grpc {

// This namespace hides gRPC's.
namespace rpc = ::grpc;

constexpr std::string_view metrics_method =
    "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export";
constexpr int patience_ms = 10'000;  // a call that takes longer has failed

inline rpc::ByteBuffer buffer_of(std::string_view bytes) {
  const rpc::Slice slice(bytes.data(), bytes.size());
  return {&slice, 1};
}

inline std::string text_of(const rpc::ByteBuffer& buffer) {
  std::vector<rpc::Slice> slices;
  std::string text;
  if (!buffer.Valid() || !buffer.Dump(&slices).ok()) return text;
  for (const auto& slice : slices) {
    text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return text;
}

// A call on its way. Its destructor waits for the end.
struct Sent {
  rpc::ClientContext context;
  rpc::ByteBuffer request;
  rpc::ByteBuffer response;
  std::promise<rpc::Status> done;
  std::future<rpc::Status> status = done.get_future();

  ~Sent() {
    if (status.valid()) status.wait();
  }
  rpc::Status wait() { return status.get(); }
  std::string body() const { return text_of(response); }
};

class Client {
 public:
  explicit Client(uint16_t port, const std::shared_ptr<rpc::ChannelCredentials>& credentials =
                                     rpc::InsecureChannelCredentials())
      : stub_(rpc::CreateCustomChannel("127.0.0.1:" + std::to_string(port), credentials,
                                       arguments())) {}

  // `prepare` may change the context before the call starts.
  std::unique_ptr<Sent> start(
      std::string_view method, const rpc::ByteBuffer& request,
      const std::function<void(rpc::ClientContext&)>& prepare = [](auto&) {}) {
    auto sent = std::make_unique<Sent>();
    sent->request = request;  // shares the bytes
    sent->context.set_deadline(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                                            gpr_time_from_millis(patience_ms, GPR_TIMESPAN)));
    prepare(sent->context);
    stub_.UnaryCall(
        &sent->context, std::string(method), rpc::StubOptions(), &sent->request, &sent->response,
        [call = sent.get()](const rpc::Status& status) { call->done.set_value(status); });
    return sent;
  }
  std::unique_ptr<Sent> start(std::string_view body) {
    return start(metrics_method, buffer_of(body));
  }

  // Sends `n` messages and, if `ends`, the end of the stream; then waits for the status.
  rpc::Status send_messages(int n, bool ends) {
    rpc::CompletionQueue queue;
    rpc::ClientContext context;
    context.set_deadline(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                                      gpr_time_from_millis(patience_ms, GPR_TIMESPAN)));
    const auto call = stub_.PrepareCall(&context, std::string(metrics_method), &queue);
    void* tag = nullptr;
    bool ok = false;
    const auto step = [&] { return queue.Next(&tag, &ok) && ok; };
    call->StartCall(nullptr);
    bool good = step();
    for (int i = 0; i < n && good; ++i) {
      call->Write(buffer_of("message"), nullptr);
      good = step();
    }
    if (ends && good) {
      call->WritesDone(nullptr);
      step();
    }
    rpc::Status status;
    call->Finish(&status, nullptr);
    step();
    queue.Shutdown();
    while (queue.Next(&tag, &ok)) {
    }
    return status;
  }

 private:
  static rpc::ChannelArguments arguments() {
    rpc::ChannelArguments arguments;
    // A connection of its own: gRPC shares one between equal channels of a process.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetSslTargetNameOverride("auscult.test");
    return arguments;
  }

  rpc::GenericStub stub_;
};

}  // namespace auscult::grpc
