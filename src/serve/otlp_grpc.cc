#include "serve/otlp_grpc.h"

#include <utility>

namespace auscult::serve {
namespace {

// google.rpc.Code
constexpr int invalid_argument = 3;
constexpr int permission_denied = 7;
constexpr int resource_exhausted = 8;
constexpr int unavailable = 14;
constexpr int unauthenticated = 16;

grpc::Answer answer_of(const Outcome& outcome, wire::Signal signal) {
  const auto refuse = [&](int status, std::optional<std::chrono::seconds> retry_after = {}) {
    return grpc::Answer{
        .grpc_status = status, .message = outcome.message, .body = {}, .retry_after = retry_after};
  };
  switch (outcome.kind) {
    case Outcome::Kind::malformed:
      return refuse(invalid_argument);
    case Outcome::Kind::busy:
      return refuse(resource_exhausted, std::chrono::seconds(1));
    case Outcome::Kind::failed:
      return refuse(unavailable, std::chrono::seconds(1));
    case Outcome::Kind::stored:
      break;
  }
  return {.body = wire::encode_success(signal, wire::Encoding::protobuf, outcome.rejected,
                                       outcome.message)};
}

}  // namespace

void handle_grpc(grpc::Call call, grpc::Reply reply, Ingest& ingest) {
  ingest.take({.format = Format::otlp_protobuf,
               .signal = call.signal,
               .content_encoding = {},
               .body = std::move(call.body)},
              [reply = std::move(reply), signal = call.signal](const Outcome& outcome) {
                reply(answer_of(outcome, signal));
              });
}

std::optional<grpc::Answer> grpc_denial(const grpc::Call& call, const Access& access) {
  const auto admission = access.admit(call.authorization, Role::ingest);
  if (admission.admitted) return {};
  return grpc::Answer{.grpc_status = admission.known ? permission_denied : unauthenticated,
                      .message = admission.message};
}

}  // namespace auscult::serve
