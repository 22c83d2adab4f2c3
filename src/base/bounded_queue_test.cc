#include "base/bounded_queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace auscult {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): only its literals

TEST(BoundedQueue, gives_values_back_in_the_order_they_came) {
  BoundedQueue<int> queue(3);
  EXPECT_TRUE(queue.push(1));
  EXPECT_TRUE(queue.push(2));
  EXPECT_EQ(queue.pop(0ns), 1);
  EXPECT_TRUE(queue.push(3));
  EXPECT_EQ(queue.pop(0ns), 2);
  EXPECT_EQ(queue.pop(0ns), 3);
  EXPECT_EQ(queue.size(), 0U);
}

TEST(BoundedQueue, refuses_and_counts_what_has_no_room) {
  BoundedQueue<int> queue(2);
  EXPECT_TRUE(queue.push(1));
  EXPECT_TRUE(queue.push(2));
  EXPECT_FALSE(queue.push(3));
  EXPECT_FALSE(queue.push(4));
  EXPECT_EQ(queue.refused(), 2U);
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_FALSE(BoundedQueue<int>(0).push(1));
}

TEST(BoundedQueue, an_empty_queue_gives_nothing_after_the_timeout) {
  BoundedQueue<int> queue(1);
  EXPECT_EQ(queue.pop(1ms), std::nullopt);
}

TEST(BoundedQueue, a_closed_queue_takes_nothing_and_gives_what_it_has) {
  BoundedQueue<int> queue(2);
  EXPECT_TRUE(queue.push(1));
  queue.close();
  EXPECT_TRUE(queue.closed());
  EXPECT_FALSE(queue.push(2));
  EXPECT_EQ(queue.refused(), 1U);
  EXPECT_EQ(queue.pop(1h), 1);
  EXPECT_EQ(queue.pop(1h), std::nullopt);
}

TEST(BoundedQueue, close_wakes_those_who_wait) {
  BoundedQueue<int> queue(1);
  std::jthread waiter([&] { EXPECT_EQ(queue.pop(1h), std::nullopt); });
  queue.close();
}

TEST(BoundedQueue, holds_what_can_only_be_moved) {
  BoundedQueue<std::unique_ptr<int>> queue(1);
  EXPECT_TRUE(queue.push(std::make_unique<int>(7)));
  EXPECT_EQ(**queue.pop(0ns), 7);
}

TEST(BoundedQueue, between_threads_every_value_arrives_once_or_is_counted) {
  constexpr int n_values = 20'000;
  BoundedQueue<int> queue(64);
  int64_t sum = 0;
  int n_taken = 0;
  int64_t refused_sum = 0;
  {
    std::jthread consumer([&] {
      while (const auto value = queue.pop(1h)) {
        sum += *value;
        ++n_taken;
      }
    });
    for (int i = 1; i <= n_values; ++i) {
      if (!queue.push(i)) refused_sum += i;
    }
    queue.close();
  }
  EXPECT_EQ(sum + refused_sum, int64_t{n_values} * (n_values + 1) / 2);
  EXPECT_EQ(n_taken + static_cast<int>(queue.refused()), n_values);
}

}  // namespace
}  // namespace auscult
