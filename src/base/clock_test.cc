#include "base/clock.h"

#include <gtest/gtest.h>

namespace auscult {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): only its literals

int64_t time_of(std::string_view text) {
  const auto time = parse_time(text);
  EXPECT_TRUE(time) << text;
  return time ? *time : -1;
}

// The seconds are GNU date's: date -u -d TEXT +%s
TEST(Clock, rfc3339_times_are_read_with_any_offset) {
  EXPECT_EQ(time_of("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(time_of("2026-12-01T09:30:00Z"), 1'796'117'400 * ns_per_s);
  EXPECT_EQ(time_of("2026-12-01T17:30:00+08:00"), time_of("2026-12-01T09:30:00Z"));
  EXPECT_EQ(time_of("2026-12-01T04:00:00-05:30"), time_of("2026-12-01T09:30:00Z"));
  EXPECT_EQ(time_of("2026-12-01t09:30:00z"), time_of("2026-12-01T09:30:00Z"));
  EXPECT_EQ(time_of("2024-02-29T00:00:00Z"), 1'709'164'800 * ns_per_s);
}

TEST(Clock, fractions_are_read_to_the_nanosecond) {
  EXPECT_EQ(time_of("1970-01-01T00:00:00.123456789Z"), 123'456'789);
  EXPECT_EQ(time_of("1970-01-01T00:00:00.5+00:00"), 500'000'000);
  EXPECT_EQ(time_of("1970-01-01T00:00:00.1234567891Z"), 123'456'789);
}

TEST(Clock, times_before_1970_are_read_and_printed) {
  EXPECT_EQ(time_of("1969-12-31T23:59:59.250Z"), -750'000'000);
  EXPECT_EQ(format_time(-750'000'000), "1969-12-31T23:59:59.250Z");
  EXPECT_EQ(time_of("-1.5"), -1'500'000'000);
  EXPECT_EQ(time_of("1678-01-01T00:00:00Z"), -9'214'560'000 * ns_per_s);
}

TEST(Clock, a_leap_second_is_the_second_after) {
  EXPECT_EQ(time_of("2016-12-31T23:59:60Z"), time_of("2017-01-01T00:00:00Z"));
}

TEST(Clock, unix_seconds_are_read_to_the_millisecond) {
  EXPECT_EQ(time_of("0"), 0);
  EXPECT_EQ(time_of("1700000000.5"), 1'700'000'000'500'000'000);
  EXPECT_EQ(time_of("1.7e9"), 1'700'000'000 * ns_per_s);
}

TEST(Clock, what_is_no_time_is_refused) {
  for (const char* text : {"",
                           "now",
                           "T",
                           "2026-12-01",
                           "2026-12-01T09:30:00",
                           "2026-12-01T09:30Z",
                           "2026-12-01 09:30:00Z",
                           "2026-13-01T00:00:00Z",
                           "2026-00-01T00:00:00Z",
                           "2026-02-29T00:00:00Z",
                           "2026-04-31T00:00:00Z",
                           "2026-12-01T24:00:00Z",
                           "2026-12-01T09:60:00Z",
                           "2026-12-01T09:30:61Z",
                           "2026-12-01T09:30:00.Z",
                           "2026-12-01T09:30:00+25:00",
                           "2026-12-01T09:30:00+08",
                           "2026-12-01T09:30:00+08:60",
                           "2026-12-01T09:30:00Zx",
                           "1677-01-01T00:00:00Z",
                           "2262-12-01T00:00:00Z",
                           "+2026-1-1T00:00:00Z",
                           "2026--1-01T00:00:00Z",
                           "1e300",
                           "nan",
                           "inf",
                           "12x",
                           "9300000000"}) {
    const auto time = parse_time(text);
    EXPECT_FALSE(time) << text;
  }
  EXPECT_EQ(parse_time("now").error().message,
            "'now' is no time: write 2026-12-01T09:30:00Z or Unix seconds");
}

TEST(Clock, times_print_as_rfc3339_with_milliseconds) {
  EXPECT_EQ(format_time(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(format_time(1'796'117'400'123'999'999), "2026-12-01T09:30:00.123Z");
  for (const int64_t ms : {0LL, 1'796'117'400'123LL, -86'400'001LL, 4'102'444'800'000LL}) {
    EXPECT_EQ(time_of(format_time(ms * 1'000'000)), ms * 1'000'000);
  }
}

TEST(Clock, durations_have_a_unit) {
  EXPECT_EQ(*parse_duration("250ms"), 250ms);
  EXPECT_EQ(*parse_duration("90s"), 90s);
  EXPECT_EQ(*parse_duration("1.5s"), 1500ms);
  EXPECT_EQ(*parse_duration("15m"), 15min);
  EXPECT_EQ(*parse_duration("2h"), 2h);
  EXPECT_EQ(*parse_duration("7d"), 168h);
  EXPECT_EQ(*parse_duration("0s"), 0s);
  for (const char* text : {"", "5", "s", "-5s", "5 s", "5sec", "nans", "infs", "1e30d", "5S"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Clock, a_manual_clock_moves_only_when_told) {
  ManualClock clock(5);
  EXPECT_EQ(clock.now_ns(), 5);
  clock.advance(2s);
  EXPECT_EQ(clock.now_ns(), 2 * ns_per_s + 5);
  EXPECT_EQ(clock.monotonic(), 2s + 5ns);
}

TEST(Clock, the_system_clock_is_in_this_century_and_never_goes_back) {
  const Clock& clock = system_clock();
  EXPECT_GT(clock.now_ns(), time_of("2024-01-01T00:00:00Z"));
  const auto before = clock.monotonic();
  EXPECT_GE(clock.monotonic(), before);
}

}  // namespace
}  // namespace auscult
