#include "base/loop.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <array>
#include <atomic>
#include <future>
#include <stdexcept>
#include <vector>

namespace auscult {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): only its literals
using std::chrono::steady_clock;

TEST(Sleeper, a_stop_request_ends_the_wait) {
  Sleeper sleeper;
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });

  EXPECT_FALSE(sleeper.sleep(1h, stop.get_token()));
}

TEST(Sleeper, sleeps_the_whole_time_when_nobody_stops_it) {
  Sleeper sleeper;
  const auto begin = steady_clock::now();
  EXPECT_TRUE(sleeper.sleep(20ms, std::stop_token()));
  EXPECT_GE(steady_clock::now() - begin, 20ms);
}

TEST(Loop, runs_at_once_and_stops_in_the_middle_of_its_wait) {
  std::promise<void> ran;
  Loop loop("test", 1h, [&](const std::stop_token&) { ran.set_value(); });
  EXPECT_EQ(ran.get_future().wait_for(30s), std::future_status::ready);
  loop.stop();
  loop.stop();
}

// A busy machine may run a step late, never early: the tests know only the earliest times.
TEST(Loop, runs_again_and_again_a_period_apart) {
  std::promise<void> enough;
  std::vector<steady_clock::time_point> starts;
  const auto begin = steady_clock::now();
  Loop loop("test", 20ms, [&](const std::stop_token&) {
    starts.push_back(steady_clock::now());
    if (starts.size() == 5) enough.set_value();
  });
  ASSERT_EQ(enough.get_future().wait_for(30s), std::future_status::ready);
  loop.stop();

  EXPECT_GE(starts[4] - begin, 80ms);
}

TEST(Loop, a_step_longer_than_the_period_skips_the_beats_it_missed) {
  std::promise<void> enough;
  std::vector<steady_clock::time_point> starts;
  const auto begin = steady_clock::now();
  Loop loop("test", 40ms, [&](const std::stop_token&) {
    starts.push_back(steady_clock::now());
    if (starts.size() == 1) std::promise<void>().get_future().wait_for(100ms);
    if (starts.size() == 3) enough.set_value();
  });
  ASSERT_EQ(enough.get_future().wait_for(30s), std::future_status::ready);
  loop.stop();

  // Beats at 0, (40, 80 missed), 120, 160.
  EXPECT_GE(starts[1] - begin, 120ms);
  EXPECT_GE(starts[2] - begin, 160ms);
}

TEST(Loop, a_step_that_throws_comes_again_at_the_next_beat) {
  std::promise<void> second;
  std::atomic<int> steps = 0;
  Loop loop("test", 20ms, [&](const std::stop_token&) {
    if (++steps == 1) throw std::runtime_error("a surprise");
    if (steps == 2) second.set_value();
  });
  EXPECT_EQ(second.get_future().wait_for(30s), std::future_status::ready);
}

TEST(Loop, its_step_sees_the_stop_request) {
  std::promise<void> running;
  std::atomic<bool> seen = false;
  {
    Loop loop("test", 1h, [&](const std::stop_token& stop) {
      running.set_value();
      Sleeper sleeper;
      seen = !sleeper.sleep(1h, stop);
    });
    running.get_future().wait();
  }
  EXPECT_TRUE(seen);
}

TEST(Loop, shows_its_name_cut_to_what_the_kernel_keeps) {
  std::promise<std::string> name;
  Loop loop("a-very-long-loop-name", 1h, [&](const std::stop_token&) {
    std::array<char, 32> buffer{};
    ::pthread_getname_np(::pthread_self(), buffer.data(), buffer.size());
    name.set_value(buffer.data());
  });
  EXPECT_EQ(name.get_future().get(), "a-very-long-loo");
}

TEST(Loop, needs_a_period) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(Loop("test", 0ns, [](const std::stop_token&) {}), "a loop needs a period");
}

TEST(StopSignal, is_waited_for_and_not_lost_before_the_wait) {
  sigset_t old;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &old);
  block_stop_signals();
  EXPECT_EQ(wait_for_stop_signal(1ms), 0);
  // NOLINTNEXTLINE(bugprone-bad-signal-to-kill-thread): it is blocked, and waited for
  ::pthread_kill(::pthread_self(), SIGTERM);
  EXPECT_EQ(wait_for_stop_signal(30s), SIGTERM);
  ::pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

}  // namespace
}  // namespace auscult
