// Clock: the only source of time. Passed in, so that tests decide what time it is.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace auscult {

class Clock {
 public:
  virtual ~Clock() = default;

  // Wall time, ns since the Unix epoch, UTC. May jump: for timestamps only.
  virtual int64_t now_ns() const = 0;

  // Never goes back: for durations and deadlines. The zero point has no meaning.
  virtual std::chrono::nanoseconds monotonic() const = 0;
};

// The machine's clock. Thread-safe.
const Clock& system_clock();

// A clock that stands still until told otherwise. Thread-safe.
class ManualClock : public Clock {
 public:
  explicit ManualClock(int64_t start_ns = 0) : now_ns_(start_ns) {}
  int64_t now_ns() const override { return now_ns_; }
  std::chrono::nanoseconds monotonic() const override { return std::chrono::nanoseconds(now_ns_); }
  void advance(std::chrono::nanoseconds by) { now_ns_ += by.count(); }

 private:
  std::atomic<int64_t> now_ns_;
};

inline constexpr int64_t ns_per_s = 1'000'000'000;

// "2026-12-01T09:30:00.123Z": RFC 3339, UTC, milliseconds.
std::string format_time(int64_t time_ns);

// RFC 3339 with any offset and up to 9 decimals, or Unix seconds ("1700000000.5").
Result<int64_t> parse_time(std::string_view text);

// "250ms", "90s", "15m", "2h", "7d".
Result<std::chrono::milliseconds> parse_duration(std::string_view text);

}  // namespace auscult
