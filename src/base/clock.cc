#include "base/clock.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <ctime>

namespace auscult {
namespace {

class SystemClock : public Clock {
 public:
  int64_t now_ns() const override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
  std::chrono::nanoseconds monotonic() const override {
    return std::chrono::steady_clock::now().time_since_epoch();
  }
};

Error bad_time(std::string_view text) {
  return {ErrorCode::invalid_input,
          "'" + std::string(text) + "' is no time: write 2026-12-01T09:30:00Z or Unix seconds"};
}

// Reads exactly `digits` digits and moves past them.
bool take_digits(std::string_view& text, size_t digits, int& value) {
  if (text.size() < digits) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, value);
  if (error != std::errc{} || end != text.data() + digits || text.front() == '-') return false;
  text.remove_prefix(digits);
  return true;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

std::string format_time(int64_t time_ns) {
  // Floor division: times before 1970 format correctly too.
  int64_t seconds = time_ns / ns_per_s;
  int64_t rest_ns = time_ns % ns_per_s;
  if (rest_ns < 0) {
    rest_ns += ns_per_s;
    --seconds;
  }
  const time_t whole = static_cast<time_t>(seconds);
  std::tm utc{};
  gmtime_r(&whole, &utc);
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
                utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min,
                utc.tm_sec, static_cast<int>(rest_ns / 1'000'000));
  return buffer.data();
}

Result<int64_t> parse_time(std::string_view text) {
  const std::string_view whole = text;
  if (text.find('T') == std::string_view::npos && text.find('t') == std::string_view::npos) {
    double seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    // 2^63 ns is the year 2262.
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(seconds) ||
        std::abs(seconds) > 9.2e9) {
      return bad_time(whole);
    }
    return static_cast<int64_t>(std::llround(seconds * 1e3)) * 1'000'000;
  }
  int year = 0;
  int month = 0;
  int day_of_month = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  const bool date = take_digits(text, 4, year) && take(text, '-') && take_digits(text, 2, month) &&
                    take(text, '-') && take_digits(text, 2, day_of_month) &&
                    (take(text, 'T') || take(text, 't')) && take_digits(text, 2, hour) &&
                    take(text, ':') && take_digits(text, 2, minute) && take(text, ':') &&
                    take_digits(text, 2, second);
  const auto day = std::chrono::year(year) / month / day_of_month;
  // 60 is a leap second: Unix time counts it as the second after. The years are those that 2^63 ns
  // reach.
  if (!date || !day.ok() || hour > 23 || minute > 59 || second > 60 || year < 1678 || year > 2261) {
    return bad_time(whole);
  }
  int64_t fraction_ns = 0;
  if (take(text, '.')) {
    int64_t unit_ns = ns_per_s / 10;
    if (text.empty() || text.front() < '0' || text.front() > '9') return bad_time(whole);
    for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1)) {
      fraction_ns += (text.front() - '0') * unit_ns;
      unit_ns /= 10;
    }
  }
  int offset_s = 0;
  if (!take(text, 'Z') && !take(text, 'z')) {
    const int sign = take(text, '+') ? 1 : (take(text, '-') ? -1 : 0);
    int hours = 0;
    int minutes = 0;
    if (sign == 0 || !take_digits(text, 2, hours) || !take(text, ':') ||
        !take_digits(text, 2, minutes) || hours > 23 || minutes > 59) {
      return bad_time(whole);
    }
    offset_s = sign * (hours * 3600 + minutes * 60);
  }
  if (!text.empty()) return bad_time(whole);
  const auto midnight = std::chrono::sys_days(day).time_since_epoch();
  const int64_t midnight_s = std::chrono::duration_cast<std::chrono::seconds>(midnight).count();
  const int second_of_day = hour * 3600 + minute * 60 + second;
  return (midnight_s + second_of_day - offset_s) * ns_per_s + fraction_ns;
}

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  const double scale_ms = unit == "ms"  ? 1
                          : unit == "s" ? 1e3
                          : unit == "m" ? 60e3
                          : unit == "h" ? 3600e3
                          : unit == "d" ? 86400e3
                                        : 0;
  if (error != std::errc{} || scale_ms == 0 || !(number >= 0) || number * scale_ms > 9e15) {
    return Error{ErrorCode::invalid_input,
                 "'" + std::string(text) + "' is no duration: write 250ms, 90s, 15m, 2h or 7d"};
  }
  return std::chrono::milliseconds(std::llround(number * scale_ms));
}

}  // namespace auscult
