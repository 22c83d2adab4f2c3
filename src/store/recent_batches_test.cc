#include "store/recent_batches.h"

#include <gtest/gtest.h>

namespace auscult::store {
namespace {

TEST(RecentBatches, knows_what_was_added) {
  RecentBatches recent;
  recent.add("a", 1);
  recent.add("a", 2);
  EXPECT_TRUE(recent.contains("a"));
  EXPECT_FALSE(recent.contains("b"));
  EXPECT_EQ(recent.size(), 1U);
}

TEST(RecentBatches, forgets_after_a_day) {
  RecentBatches recent;
  recent.add("a", 1);
  recent.add("b", RecentBatches::window_ms + 1);
  EXPECT_TRUE(recent.contains("a"));
  recent.add("c", RecentBatches::window_ms + 2);
  EXPECT_FALSE(recent.contains("a"));
  EXPECT_TRUE(recent.contains("b"));
}

TEST(RecentBatches, forgets_the_oldest_beyond_the_maximum) {
  RecentBatches recent(2);
  recent.add("a", 1);
  recent.add("b", 1);
  recent.add("c", 1);
  EXPECT_FALSE(recent.contains("a"));
  EXPECT_TRUE(recent.contains("b"));
  EXPECT_EQ(recent.size(), 2U);
}

}  // namespace
}  // namespace auscult::store
