// Loop: a thread that does one thing every period until it is stopped.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace auscult {

// Waits that a stop request ends early. Thread-safe.
class Sleeper {
 public:
  // True after the whole wait, false when stopped.
  bool sleep(std::chrono::nanoseconds duration, const std::stop_token& stop);

 private:
  std::mutex mutex_;
  std::condition_variable_any wake_;
};

class Loop {
 public:
  // Runs `step` at once and then every `period`, measured from start to start; a step that takes
  // longer than the period skips the beats it missed, one that throws is logged and comes again at
  // the next beat. The name shows in ps and gdb (15 characters).
  Loop(std::string name, std::chrono::nanoseconds period,
       std::function<void(std::stop_token)> step);

  // Asks the thread to stop and waits for the running step.
  ~Loop();
  void stop();

 private:
  std::jthread thread_;
};

// Blocks SIGINT and SIGTERM for every thread started afterwards, then waits for one of them. Call
// block_stop_signals() first thing in main().
void block_stop_signals();

// The signal, or 0 after the timeout.
int wait_for_stop_signal(std::chrono::milliseconds timeout);

}  // namespace auscult
