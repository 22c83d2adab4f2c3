#include "bench/ping_pong.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace auscult::bench {
namespace {

TEST(PingPong, every_round_trip_takes_some_time_and_none_takes_seconds) {
  const auto round_trips = loopback_round_trips(0.1);

  ASSERT_TRUE(round_trips) << round_trips.error().message;
  ASSERT_FALSE(round_trips->empty());
  const auto [least, most] = std::minmax_element(round_trips->begin(), round_trips->end());
  EXPECT_GT(*least, 0);
  EXPECT_LT(*most, 5e6);
}

}  // namespace
}  // namespace auscult::bench
