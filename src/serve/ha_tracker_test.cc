#include "serve/ha_tracker.h"

#include <gtest/gtest.h>

namespace auscult::serve {
namespace {

TEST(HaTracker, listens_to_one_replica_of_each_cluster) {
  const ManualClock clock;
  HaTracker tracker(clock);
  EXPECT_TRUE(tracker.accepts("a", "one"));
  EXPECT_FALSE(tracker.accepts("a", "two"));
  EXPECT_TRUE(tracker.accepts("a", "one"));
  EXPECT_TRUE(tracker.accepts("b", "two"));
  EXPECT_TRUE(tracker.accepts("a", "")) << "a server without a replica label";
}

TEST(HaTracker, another_takes_over_from_a_silent_one_and_stays) {
  ManualClock clock;
  HaTracker tracker(clock);
  ASSERT_TRUE(tracker.accepts("a", "one"));
  clock.advance(std::chrono::seconds(29));
  EXPECT_FALSE(tracker.accepts("a", "two"));
  clock.advance(std::chrono::seconds(1));
  EXPECT_TRUE(tracker.accepts("a", "two"));
  EXPECT_FALSE(tracker.accepts("a", "one")) << "the old one is back and has to wait";
}

TEST(HaTracker, clusters_are_bounded_and_the_silent_is_forgotten) {
  ManualClock clock;
  HaTracker tracker(clock);
  for (size_t i = 0; i < HaTracker::max_clusters; ++i) {
    ASSERT_TRUE(tracker.accepts(std::to_string(i), "one"));
    clock.advance(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(tracker.accepts("new", "one"));
  EXPECT_FALSE(tracker.accepts("1", "two"));
  EXPECT_TRUE(tracker.accepts("0", "two")) << "forgotten, so that anyone is the first again";
}

}  // namespace
}  // namespace auscult::serve
