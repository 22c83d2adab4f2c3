// BoundedQueue<T>: hands values between threads; full means the caller is told, never that it
// waits.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace auscult {

// Thread-safe.
template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(size_t capacity) : capacity_(capacity) {}

  // False when full or closed: the value was not taken, and is counted as refused.
  bool push(T value) {
    {
      const std::lock_guard lock(mutex_);
      if (closed_ || items_.size() >= capacity_) {
        ++refused_;
        return false;
      }
      items_.push_back(std::move(value));
    }
    changed_.notify_one();
    return true;
  }

  // The oldest value; nothing after `timeout`, or when closed and empty.
  std::optional<T> pop(std::chrono::nanoseconds timeout) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, timeout, [&] { return closed_ || !items_.empty(); });
    if (items_.empty()) return {};
    T value = std::move(items_.front());
    items_.pop_front();
    return value;
  }

  // No more values come in; those inside can still be taken.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }

  bool closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
  }
  size_t size() const {
    const std::lock_guard lock(mutex_);
    return items_.size();
  }
  uint64_t refused() const {
    const std::lock_guard lock(mutex_);
    return refused_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  const size_t capacity_;
  std::deque<T> items_;
  bool closed_ = false;
  uint64_t refused_ = 0;
};

}  // namespace auscult
