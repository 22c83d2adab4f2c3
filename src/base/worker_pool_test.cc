#include "base/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>

namespace auscult {
namespace {

TEST(WorkerPool, runs_everything_it_accepted_before_it_ends) {
  std::atomic<int> done = 0;
  {
    WorkerPool pool("test", 2, 100);
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(pool.submit([&] { ++done; }));
  }
  EXPECT_EQ(done, 50);
}

TEST(WorkerPool, refuses_a_task_when_the_queue_is_full) {
  std::latch started(1);
  std::latch release(1);
  WorkerPool pool("test", 1, 1);
  ASSERT_TRUE(pool.submit([&] {
    started.count_down();
    release.wait();
  }));
  started.wait();

  EXPECT_TRUE(pool.submit([] {}));   // fills the queue
  EXPECT_FALSE(pool.submit([] {}));  // has no place

  release.count_down();
}

TEST(WorkerPool, a_task_that_throws_does_not_end_the_process_nor_its_thread) {
  std::atomic<int> done = 0;
  {
    WorkerPool pool("test", 1, 100);
    EXPECT_TRUE(pool.submit([] { throw std::runtime_error("a surprise"); }));
    EXPECT_TRUE(pool.submit([] { throw 5; }));
    EXPECT_TRUE(pool.submit([&] { ++done; }));
  }
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace auscult
