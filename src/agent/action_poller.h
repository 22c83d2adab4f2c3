// ActionPoller: asks the server for actions, checks each by the node's own policy, runs what is
// allowed, one at a time, and reports what came of it.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include "actions/action.h"
#include "actions/executor.h"
#include "base/clock.h"
#include "base/loop.h"
#include "model/tags.h"
#include "net/http.h"

namespace auscult::agent {

// One request to the server's control port.
using ControlRequest =
    std::function<Result<net::Response>(const std::string& method, const std::string& target,
                                        std::string body, std::chrono::milliseconds timeout)>;

struct ActionPollerOptions {
  std::string server_public_key;
  std::filesystem::path actions_file;
  model::Tags tags;
  std::filesystem::path root = "/";
};

inline constexpr int max_report_tries = 5;
inline constexpr size_t max_actions_per_answer = 100;

// One thread, but for quiet().
class ActionPoller {
 public:
  ActionPoller(ActionPollerOptions options, ControlRequest request, const Clock& clock);

  // One long poll and everything it brings. Waits between failed requests; ends early when asked to
  // stop, except that a running action keeps its own time limit.
  void step(const std::stop_token& stop);

  // From any thread, before the program ends: failures from here on are of our own making.
  void quiet() { quiet_ = true; }

 private:
  actions::ActionResult carry_out(const Json& signed_request);
  void report(const actions::ActionResult& result, const std::stop_token& stop);

  const ActionPollerOptions options_;
  const ControlRequest request_;
  const Clock& clock_;
  actions::ActionGate gate_;
  Sleeper sleeper_;
  std::chrono::seconds wait_{0};
  std::atomic<bool> quiet_{false};
};

}  // namespace auscult::agent
