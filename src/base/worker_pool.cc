#include "base/worker_pool.h"

#include <pthread.h>

#include <chrono>

#include "base/guard.h"

namespace auscult {

WorkerPool::WorkerPool(const std::string& name, size_t threads, size_t max_queued)
    : tasks_(max_queued) {
  for (size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this, name] {
      ::pthread_setname_np(::pthread_self(), name.substr(0, 15).c_str());
      while (true) {
        if (auto task = tasks_.pop(std::chrono::seconds(1))) {
          run_guarded(name, *task);
        } else if (tasks_.closed()) {
          return;
        }
      }
    });
  }
}

WorkerPool::~WorkerPool() {
  tasks_.close();
  threads_.clear();
}

}  // namespace auscult
