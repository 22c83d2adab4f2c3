#include "store/answers.h"

namespace auscult::store {

// The step returns only when asked to stop; the period never matters.
Answers::Answers()
    : loop_("store-answers", std::chrono::hours(1), [this](std::stop_token stop) { run(stop); }) {}

Answers::~Answers() {
  loop_.stop();
  for (auto& [done, answer] : queue_) done(std::move(answer));
}

void Answers::give(Done done, Result<Ok> answer) {
  {
    const std::lock_guard lock(mutex_);
    queue_.emplace_back(std::move(done), std::move(answer));
  }
  given_.notify_one();
}

void Answers::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (given_.wait(lock, stop, [&] { return !queue_.empty(); })) {
    auto [done, answer] = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    done(std::move(answer));
    lock.lock();
  }
}

}  // namespace auscult::store
