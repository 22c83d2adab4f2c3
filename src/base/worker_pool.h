// WorkerPool: a fixed number of threads that run short tasks from a bounded queue.
#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/bounded_queue.h"

namespace auscult {

// Thread-safe. The destructor runs what was accepted, then joins. A task that throws loses its own
// work: it is logged and the thread goes on.
class WorkerPool {
 public:
  WorkerPool(const std::string& name, size_t threads, size_t max_queued);
  ~WorkerPool();

  // False when the queue is full: the task was not taken.
  bool submit(std::function<void()> task) { return tasks_.push(std::move(task)); }

 private:
  BoundedQueue<std::function<void()>> tasks_;
  std::vector<std::jthread> threads_;
};

}  // namespace auscult
