#include "agent/action_poller.h"

#include <algorithm>

#include "base/json.h"
#include "base/log.h"

namespace auscult::agent {
namespace {

constexpr std::chrono::seconds long_poll_timeout{40};  // the server answers after 30
constexpr std::chrono::seconds report_timeout{15};
constexpr std::chrono::seconds first_wait{1};
constexpr std::chrono::seconds max_wait{60};

}  // namespace

ActionPoller::ActionPoller(ActionPollerOptions options, ControlRequest request, const Clock& clock)
    : options_(std::move(options)),
      request_(std::move(request)),
      clock_(clock),
      gate_(options_.server_public_key, options_.tags.node_id, clock.now_ns()) {}

void ActionPoller::step(const std::stop_token& stop) {
  const std::string target =
      "/api/auscult/v1/agent/actions?node=" + net::url_encode(options_.tags.node_id);
  const auto response = request_("GET", target, {}, long_poll_timeout);
  auto answer =
      response && response->status == 200 ? Json::parse(response->body) : Result<Json>(Json());
  if (!response || response->status != 200 || !answer || !(*answer)["actions"].is_array()) {
    if (stop.stop_requested()) return;
    if (wait_.count() == 0 && !quiet_) {
      log_warning("cannot ask for actions: " +
                  (!response ? response.error().message
                             : "the server answered " + std::to_string(response->status)));
    }
    wait_ = std::clamp(wait_ * 2, first_wait, max_wait);
    sleeper_.sleep(wait_, stop);
    return;
  }
  wait_ = {};
  size_t done = 0;
  for (const auto& signed_request : (*answer)["actions"].array()) {
    if (stop.stop_requested() || ++done > max_actions_per_answer) return;
    const auto result = carry_out(signed_request);
    log_info("action " + result.id + " " + result.status +
             (result.message.empty() ? "" : ": " + result.message));
    report(result, stop);
  }
}

actions::ActionResult ActionPoller::carry_out(const Json& signed_request) {
  const int64_t now_ns = clock_.now_ns();
  const auto refused = [&](const std::string& why) {
    return actions::ActionResult{.id = signed_request["id"].string_or(""),
                                 .status = "refused",
                                 .message = why,
                                 .started_at_ns = now_ns,
                                 .finished_at_ns = now_ns};
  };
  // Read anew for every action: the switch on the node works at once.
  auto policy = actions::load_policy(options_.actions_file);
  if (!policy) return refused(policy.error().message);
  const auto request = gate_.admit(signed_request, *policy, now_ns);
  if (!request) return refused(request.error().message);
  const auto still_allowed = [&]() -> Result<Ok> {
    return actions::check_class(TRY(actions::load_policy(options_.actions_file)),
                                request->action_class);
  };
  return actions::execute(*request, {.policy = *std::move(policy),
                                     .tags = options_.tags,
                                     .root = options_.root,
                                     .clock = &clock_,
                                     .still_allowed = still_allowed});
}

void ActionPoller::report(const actions::ActionResult& result, const std::stop_token& stop) {
  if (result.id.empty()) return;  // there is no address to report to
  const std::string target =
      "/api/auscult/v1/agent/actions/" + net::url_encode(result.id) + "/result";
  const std::string body = actions::to_json(result).dump();
  std::chrono::seconds wait = first_wait;
  for (int tries = 0; tries < max_report_tries; ++tries) {
    const auto response = request_("POST", target, body, report_timeout);
    if (response && response->status / 100 == 2) return;
    const bool again = !response || response->status >= 500 || response->status == 429;
    if (!again) {
      log_warning("the server did not take the result of action " + result.id + ": " +
                  std::to_string(response->status));
      return;
    }
    if (tries + 1 < max_report_tries && !sleeper_.sleep(wait, stop)) return;
    wait *= 2;
  }
  log_warning("the result of action " + result.id + " could not be reported");
}

}  // namespace auscult::agent
