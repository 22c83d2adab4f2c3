// ActionGate: the checks between a request and its execution.
#include <algorithm>

#include "actions/action.h"
#include "actions/executor.h"
#include "actions/signing.h"
#include "base/text.h"

namespace auscult::actions {
namespace {

constexpr int64_t most_future_ns = 300 * ns_per_s;     // clocks of servers and nodes differ
constexpr int64_t most_validity_ns = 3600 * ns_per_s;  // an id need not be remembered for longer
constexpr size_t most_remembered = 10'000;  // some 3 requests a second for an hour; about 1 MB

Error refused(const ActionRequest& request, const std::string& why) {
  return {ErrorCode::invalid_input, "action " + request.id + " refused: " + why};
}

Result<Ok> check_times(const ActionRequest& request, int64_t now_ns, int64_t started_at_ns) {
  if (request.expires_at_ns <= now_ns) {
    return refused(request, "it expired at " + format_time(request.expires_at_ns));
  }
  // Differences, not sums: a time near the end of the calendar must not overflow.
  if (request.issued_at_ns - most_future_ns > now_ns) {
    return refused(request, "it was issued at " + format_time(request.issued_at_ns) +
                                ", which is in the future: compare the clocks");
  }
  if (request.expires_at_ns - most_validity_ns > std::max(request.issued_at_ns, int64_t{0})) {
    return refused(request, "it is valid for more than an hour");
  }
  if (request.issued_at_ns < started_at_ns) {
    return refused(request, "it was issued at " + format_time(request.issued_at_ns) +
                                ", before this agent started at " + format_time(started_at_ns) +
                                ", and may have run then (or the server's clock is behind)");
  }
  return Ok{};
}

Result<Ok> check_limits(const ActionRequest& request, const ActionPolicy& policy) {
  if (request.limits.seconds > policy.max_seconds) {
    return refused(request, format_number(request.limits.seconds) +
                                " s are more than this node's max_seconds, " +
                                format_number(policy.max_seconds));
  }
  if (request.limits.bytes > policy.max_bytes) {
    return refused(request, format_bytes(static_cast<double>(request.limits.bytes)) +
                                " are more than this node's max_bytes, " +
                                format_bytes(static_cast<double>(policy.max_bytes)));
  }
  return Ok{};
}

}  // namespace

// Requests carry whole milliseconds: one that was issued in that of the start came after it.
ActionGate::ActionGate(std::string server_public_key_base64, std::string node_id,
                       int64_t started_at_ns)
    : public_key_(std::move(server_public_key_base64)),
      node_id_(std::move(node_id)),
      started_at_ns_(started_at_ns - started_at_ns % 1'000'000) {}

Result<ActionRequest> ActionGate::admit(const Json& signed_request, const ActionPolicy& policy,
                                        int64_t now_ns) {
  TRY(verify(signed_request, public_key_), "action refused");
  ActionRequest request = TRY(action_request_from_json(signed_request), "action refused");
  if (request.target != node_id_) {
    return refused(request,
                   "it is for node '" + request.target + "', and this is '" + node_id_ + "'");
  }
  TRY(check_times(request, now_ns, started_at_ns_));

  // An hour after a request expired, its id is forgotten: a clock that steps back by less than that
  // does not bring it to life again.
  std::erase_if(seen_, [&](const auto& entry) { return entry.second < now_ns - most_validity_ns; });
  if (std::any_of(seen_.begin(), seen_.end(),
                  [&](const auto& entry) { return entry.first == request.id; })) {
    return refused(request, "it was here before (a replay)");
  }
  if (seen_.size() >= most_remembered) {
    return refused(request, "the memory of earlier requests is full: " +
                                std::to_string(most_remembered) + " in the last hours");
  }
  seen_.emplace_back(request.id, request.expires_at_ns);

  TRY(check_class(policy, request.action_class), "action " + request.id + " refused");
  TRY(check_executor(request), "action " + request.id + " refused");
  TRY(check_limits(request, policy));
  return request;
}

}  // namespace auscult::actions
