// Actions: the fixed, typed list of what the server may ask of a node. Never a shell line.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/named.h"
#include "base/result.h"
#include "model/tags.h"

namespace auscult::actions {

struct ActionLimits {
  double seconds = 60;                // wall time on the node
  int64_t bytes = int64_t{1} << 30U;  // disk it may use while it runs
};

struct ActionRequest {
  std::string id;
  std::string action_class;  // JSON "class": benchmark, snapshot
  std::string action;        // executor's name: targeted_benchmark, process_snapshot
  std::string target;        // node_id
  Json params;
  ActionLimits limits;
  int64_t issued_at_ns = 0;
  int64_t expires_at_ns = 0;
  std::string incident;
};

// JSON of DESIGN's action channel; the signature stands beside as "signature" (base64).
Json to_json(const ActionRequest& request);
Result<ActionRequest> action_request_from_json(const Json& json);

struct ActionResult {
  std::string id;
  std::string status;   // done, refused, failed, timed_out
  std::string message;  // why not done
  Json result;          // by action, see executors/
  int64_t started_at_ns = 0;
  int64_t finished_at_ns = 0;
};
Json to_json(const ActionResult& result);
Result<ActionResult> action_result_from_json(const Json& json);

// Ed25519 (RFC 8032) over Json::canonical() of the request without "signature".
class SigningKey {
 public:
  static SigningKey generate();
  // Reads the key, or creates it with mode 0600.
  static Result<SigningKey> load_or_create(const std::filesystem::path& path);
  SigningKey(SigningKey&&) noexcept;
  SigningKey& operator=(SigningKey&&) noexcept;
  ~SigningKey();
  std::string public_key_base64() const;
  Json sign(const ActionRequest& request) const;  // the JSON with its signature

 private:
  struct Impl;
  explicit SigningKey(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// What this node allows: /etc/auscult/actions.yaml
//   enabled: true            # the kill switch: false stops all actions
//   allow: [benchmark, snapshot]
//   scratch: /var/lib/auscult/scratch
//   max_seconds: 120
//   max_bytes: 2147483648
//   allow_peers: [10.0.0.7]  # hosts that a network benchmark may load; none unless named
struct ActionPolicy {
  bool enabled = false;
  std::set<std::string> allow;  // classes
  std::filesystem::path scratch = "/var/lib/auscult/scratch";
  double max_seconds = 120;
  int64_t max_bytes = int64_t{2} << 30U;
  std::set<std::string> allow_peers;  // as the request names them; loopback needs no entry
};
// A missing file is the policy "nothing is allowed". invalid_input: no regular file (a symbolic
// link is none), it or its folder not owned by root (or, where the agent does not run as root, by
// its own user) or writable by group or others, sticky or not, or a typing error. Never blocks.
Result<ActionPolicy> load_policy(const std::filesystem::path& path);

// Does it allow actions of this class? invalid_input says what forbids them.
Result<Ok> check_class(const ActionPolicy& policy, const std::string& action_class);

// The checks before anything runs, in order: signature, target, expiry (and issued_at not more than
// 5 minutes in the future, and valid for an hour at most), replay (ids of the last hour, at most
// 10,000: then new ones are refused, because forgetting would let an old one in), kill switch,
// class, known action of that class, known parameters, limits within the policy. A request has one
// chance: an id that reached the replay check is used up, whatever the checks after it say. The
// memory of ids begins with the gate, so a request that was issued before is refused: an earlier
// gate may have let it in. One thread.
class ActionGate {
 public:
  // `started_at_ns`: when the memory of ids begins, which is now.
  ActionGate(std::string server_public_key_base64, std::string node_id, int64_t started_at_ns);
  // The request, or why it is refused (invalid_input).
  Result<ActionRequest> admit(const Json& signed_request, const ActionPolicy& policy,
                              int64_t now_ns);

 private:
  std::string public_key_;
  std::string node_id_;
  int64_t started_at_ns_;
  std::vector<std::pair<std::string, int64_t>> seen_;  // id, expires_at_ns
};

}  // namespace auscult::actions
