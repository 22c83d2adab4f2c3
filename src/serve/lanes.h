// Lanes: the threads that answer the API, apart by how long an answer takes, so that what takes
// minutes never holds up what it waits for.
#pragma once

#include <functional>

#include "base/worker_pool.h"
#include "serve/route.h"

namespace auscult::serve {

// Thread-safe. The destructor runs what was accepted.
class Lanes {
 public:
  static constexpr size_t prompt_threads = 2;  // one stays when a probe hangs in the store
  static constexpr size_t normal_threads = 4;
  static constexpr size_t slow_threads = 4;  // diagnoses at once; each disturbs a node
  static constexpr size_t max_queued_prompt = 1024;
  static constexpr size_t max_queued_normal = 128;
  static constexpr size_t max_queued_slow = 8;  // who waits behind two rounds better comes again

  // False when the lane is full: the task was not taken. What belongs on the I/O thread runs at
  // once.
  bool submit(Lane lane, std::function<void()> task);

 private:
  WorkerPool prompt_{"api-prompt", prompt_threads, max_queued_prompt};
  WorkerPool normal_{"api", normal_threads, max_queued_normal};
  WorkerPool slow_{"api-slow", slow_threads, max_queued_slow};
};

}  // namespace auscult::serve
