#include "serve/broker.h"

#include <algorithm>

namespace auscult::serve {

using actions::ActionRequest;
using actions::ActionResult;

Result<ActionResult> Broker::perform(const ActionRequest& request) {
  Json signed_request = key_.sign(request);
  Answer waiting;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return Error{ErrorCode::unavailable, "the server is stopping"};
    expected_[request.id] = 1;
    const auto waiter = std::find_if(waiters_.begin(), waiters_.end(), [&](const Waiter& one) {
      return one.node_id == request.target;
    });
    if (waiter != waiters_.end()) {
      waiting = std::move(waiter->answer);
      waiters_.erase(waiter);
    } else {
      auto& queue = queued_[request.target];
      if (queue.size() >= max_queued_per_node) {
        expected_.erase(request.id);
        return Error{ErrorCode::unavailable, "node " + request.target + " has 32 actions waiting"};
      }
      queue.push_back(signed_request);
    }
  }
  if (waiting) waiting({signed_request});

  std::unique_lock lock(mutex_);
  const auto patience = std::chrono::nanoseconds(request.expires_at_ns - clock_.now_ns());
  changed_.wait_for(lock, patience, [&] { return stopped_ || results_.contains(request.id); });
  expected_.erase(request.id);
  const auto found = results_.find(request.id);
  if (found == results_.end()) {
    auto& queue = queued_[request.target];
    std::erase(queue, signed_request);
    if (queue.empty()) queued_.erase(request.target);
    return Error{ErrorCode::unavailable, stopped_
                                             ? "the server is stopping"
                                             : "node " + request.target +
                                                   " brought no result in time: does its agent "
                                                   "run with this server's public key?"};
  }
  ActionResult result = std::move(found->second);
  results_.erase(found);
  return result;
}

Result<Ok> Broker::poll(const std::string& node_id, std::chrono::milliseconds patience,
                        Answer answer) {
  std::vector<Json> ready;
  Answer left_behind;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return Error{ErrorCode::unavailable, "the server is stopping"};
    // A node has one agent. Its poll from before it was killed would take a request and lose it.
    const auto old = std::find_if(waiters_.begin(), waiters_.end(),
                                  [&](const Waiter& one) { return one.node_id == node_id; });
    if (old != waiters_.end()) {
      left_behind = std::move(old->answer);
      waiters_.erase(old);
    }
    const auto queue = queued_.find(node_id);
    if (queue != queued_.end()) {
      ready.assign(queue->second.begin(), queue->second.end());
      queued_.erase(queue);
    } else if (waiters_.size() < max_waiting_agents) {
      waiters_.push_back({node_id, clock_.monotonic() + patience, std::move(answer)});
    } else {
      return Error{ErrorCode::unavailable,
                   std::to_string(max_waiting_agents) + " agents wait already"};
    }
  }
  if (left_behind) left_behind({});
  if (!ready.empty()) answer(std::move(ready));
  return Ok{};
}

Result<Ok> Broker::finish(const ActionResult& result) {
  {
    const std::lock_guard lock(mutex_);
    if (!expected_.contains(result.id)) {
      return Error{ErrorCode::not_found, "nobody waits for the action " + result.id};
    }
    results_[result.id] = result;
  }
  changed_.notify_all();
  return Ok{};
}

void Broker::expire() {
  std::vector<Waiter> done;
  {
    const std::lock_guard lock(mutex_);
    const auto now = clock_.monotonic();
    const auto kept =
        std::stable_partition(waiters_.begin(), waiters_.end(),
                              [&](const Waiter& one) { return !stopped_ && one.deadline > now; });
    std::move(kept, waiters_.end(), std::back_inserter(done));
    waiters_.erase(kept, waiters_.end());
  }
  for (auto& waiter : done) waiter.answer({});
}

void Broker::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  expire();
}

}  // namespace auscult::serve
