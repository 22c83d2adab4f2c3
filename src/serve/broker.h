// Broker: hands signed actions to the agents that ask for them, and their results to those who
// wait.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "actions/action.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"

namespace auscult::serve {

// Thread-safe.
class Broker {
 public:
  // The nodes that one server is made for, each with one poll; HTTP takes 12,000 connections, which
  // leaves some for people.
  static constexpr size_t max_waiting_agents = 10'000;
  static constexpr size_t max_queued_per_node = 32;

  Broker(actions::SigningKey key, const Clock& clock) : key_(std::move(key)), clock_(clock) {}
  ~Broker() { stop(); }

  // Signs the request, gives it to its node at the next poll, and waits for the result until the
  // request expires: then `unavailable`.
  Result<actions::ActionResult> perform(const actions::ActionRequest& request);

  // Long poll: calls `answer` once with the signed requests for the node, at once if there are any,
  // else when one comes, or with none after `patience` or when the node polls again.
  using Answer = std::function<void(std::vector<Json> requests)>;
  Result<Ok> poll(const std::string& node_id, std::chrono::milliseconds patience, Answer answer);

  // What the node brought back. not_found when nobody waits for it (late, or never asked).
  Result<Ok> finish(const actions::ActionResult& result);

  // Answers the polls whose patience has ended. Called a few times a second.
  void expire();

  // Ends every wait; later calls are refused with `unavailable`.
  void stop();

  std::string public_key_base64() const { return key_.public_key_base64(); }

 private:
  struct Waiter {
    std::string node_id;
    std::chrono::nanoseconds deadline;
    Answer answer;
  };

  actions::SigningKey key_;
  const Clock& clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  std::map<std::string, std::deque<Json>> queued_;  // node -> signed requests not yet fetched
  std::vector<Waiter> waiters_;
  std::map<std::string, actions::ActionResult> results_;  // id -> result, until perform() takes it
  std::map<std::string, int> expected_;                   // ids that perform() waits for
};

}  // namespace auscult::serve
