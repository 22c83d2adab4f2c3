// Answers: calls the `done` functions of batches from a thread of its own, so that a slow one stops
// no commit and a caller is never answered while it is still asking.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>

#include "base/loop.h"
#include "base/result.h"

namespace auscult::store {

using Done = std::function<void(Result<Ok>)>;

// Thread-safe. Bounded by its callers: an entry for each batch that somebody waits for.
class Answers {
 public:
  Answers();
  ~Answers();  // after everything that was given has been called

  void give(Done done, Result<Ok> answer);

 private:
  void run(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any given_;
  std::deque<std::pair<Done, Result<Ok>>> queue_;
  Loop loop_;  // last: its thread uses what is above
};

}  // namespace auscult::store
