// Sender: carries the spool's batches to the server, in order, as often as it takes.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <random>
#include <string>

#include "agent/spool.h"
#include "base/clock.h"
#include "net/http.h"

namespace auscult::agent {

// One POST to the server; the target is "/v1/metrics" or "/v1/logs".
using Post = std::function<Result<net::Response>(const std::string& target,
                                                 const net::Headers& headers, std::string body)>;

inline constexpr std::chrono::seconds first_backoff{1};
inline constexpr std::chrono::seconds max_backoff{60};
inline constexpr std::chrono::seconds max_retry_after{300};  // whatever the server asks for

// One thread calls step(); the counters are for any.
class Sender {
 public:
  Sender(Spool& spool, Post post, const Clock& clock, uint64_t seed)
      : spool_(spool), post_(std::move(post)), clock_(clock), random_(seed) {}

  // Sends the oldest batch unless it is too early for another try. True: a batch left the spool,
  // the next may be sent at once.
  //
  // A batch leaves after 2xx; what the server says it left out of it is counted, and logged the
  // first time. Any 4xx but 401, 403, 408 and 429 means that it will never be taken: it is dropped
  // and counted, so that it does not block those behind it. Everything else is tried again, after
  // Retry-After where the server says so, else after a wait that doubles.
  bool step();

  // From any thread, before the program ends: failures from here on are of our own making.
  void quiet() { quiet_ = true; }

  uint64_t sent() const { return sent_; }
  uint64_t failures() const { return failures_; }              // tries that will be repeated
  uint64_t refused() const { return refused_; }                // batches dropped
  uint64_t rejected_items() const { return rejected_items_; }  // of batches that were taken

 private:
  void note_rejected(const std::string& target, const net::Response& response);
  void fail(const std::string& why, std::chrono::nanoseconds at_least);

  Spool& spool_;
  const Post post_;
  const Clock& clock_;
  std::mt19937_64 random_;
  std::chrono::nanoseconds not_before_{0};
  std::chrono::nanoseconds backoff_{0};
  std::atomic<bool> quiet_{false};
  std::atomic<uint64_t> sent_{0};
  std::atomic<uint64_t> failures_{0};
  std::atomic<uint64_t> refused_{0};
  std::atomic<uint64_t> rejected_items_{0};
  bool said_rejected_ = false;
};

}  // namespace auscult::agent
