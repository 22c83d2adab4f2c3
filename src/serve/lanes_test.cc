#include "serve/lanes.h"

#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <vector>

namespace auscult::serve {
namespace {

using std::chrono_literals::operator""s;

// As many diagnoses as there are threads, each waiting for what an agent brings.
TEST(Lanes, diagnoses_that_wait_for_a_result_do_not_hold_up_the_result) {
  std::latch result(1);
  std::latch begun(Lanes::slow_threads);
  Lanes lanes;
  for (size_t i = 0; i < Lanes::slow_threads; ++i) {
    ASSERT_TRUE(lanes.submit(Lane::slow, [&] {
      begun.count_down();
      result.wait();
    }));
  }
  begun.wait();

  std::promise<void> asked;
  EXPECT_TRUE(lanes.submit(Lane::normal, [&] { asked.set_value(); }));
  EXPECT_EQ(asked.get_future().wait_for(30s), std::future_status::ready);
  std::promise<void> brought;
  EXPECT_TRUE(lanes.submit(Lane::prompt, [&] {
    result.count_down();
    brought.set_value();
  }));
  EXPECT_EQ(brought.get_future().wait_for(30s), std::future_status::ready);
  if (!result.try_wait()) result.count_down();
}

TEST(Lanes, more_slow_ones_than_run_and_wait_are_refused) {
  std::latch release(1);
  std::latch begun(Lanes::slow_threads);
  Lanes lanes;
  for (size_t i = 0; i < Lanes::slow_threads; ++i) {
    ASSERT_TRUE(lanes.submit(Lane::slow, [&] {
      begun.count_down();
      release.wait();
    }));
  }
  begun.wait();
  for (size_t i = 0; i < Lanes::max_queued_slow; ++i) {
    EXPECT_TRUE(lanes.submit(Lane::slow, [] {}));
  }

  EXPECT_FALSE(lanes.submit(Lane::slow, [] {}));
  release.count_down();
}

TEST(Lanes, each_route_runs_where_it_harms_nobody) {
  const Router router;
  const auto lane = [&](const char* method, const char* path) {
    return router.match(method, path).endpoint->lane;
  };
  EXPECT_EQ(lane("POST", "/api/auscult/v1/diagnose"), Lane::slow);
  EXPECT_EQ(lane("POST", "/api/auscult/v1/agent/actions/a1/result"), Lane::prompt);
  EXPECT_EQ(lane("GET", "/healthz"), Lane::io);
  EXPECT_EQ(lane("GET", "/readyz"), Lane::prompt);
  EXPECT_EQ(lane("GET", "/api/auscult/v1/nodes"), Lane::normal);
}

}  // namespace
}  // namespace auscult::serve
