#include "base/loop.h"

#include <pthread.h>
#include <signal.h>

#include <ctime>

#include "base/check.h"
#include "base/guard.h"

namespace auscult {

bool Sleeper::sleep(std::chrono::nanoseconds duration, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, stop, duration, [] { return false; });
  return !stop.stop_requested();
}

Loop::Loop(std::string name, std::chrono::nanoseconds period,
           std::function<void(std::stop_token)> step)
    : thread_(
          [name = std::move(name), period, step = std::move(step)](const std::stop_token& stop) {
            ::pthread_setname_np(::pthread_self(), name.substr(0, 15).c_str());
            CHECK(period.count() > 0, "a loop needs a period");
            Sleeper sleeper;
            auto next = std::chrono::steady_clock::now();
            while (!stop.stop_requested()) {
              run_guarded(name, [&] { step(stop); });
              next += period;
              const auto now = std::chrono::steady_clock::now();
              while (next <= now) next += period;
              if (!sleeper.sleep(next - now, stop)) return;
            }
          }) {}

Loop::~Loop() { stop(); }

void Loop::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void block_stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

int wait_for_stop_signal(std::chrono::milliseconds timeout) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  const timespec wait{.tv_sec = timeout.count() / 1000,
                      .tv_nsec = timeout.count() % 1000 * 1'000'000};
  const int signal = ::sigtimedwait(&set, nullptr, &wait);
  return signal > 0 ? signal : 0;
}

}  // namespace auscult
