#include "collect/disk_await.h"

#include <gtest/gtest.h>

#include "collect/host_file.h"

namespace auscult::collect {
namespace {

model::Samples disk(double reads, double read_s, double writes, double write_s) {
  const model::Labels sda = {{"device", "sda"}};
  return {counter("node_disk_reads_completed_total", reads, sda),
          counter("node_disk_read_time_seconds_total", read_s, sda),
          counter("node_disk_writes_completed_total", writes, sda),
          counter("node_disk_write_time_seconds_total", write_s, sda)};
}

TEST(DiskAwait, is_the_time_over_the_operations_of_the_interval) {
  DiskAwait await;
  EXPECT_TRUE(await.update(disk(100, 1.0, 50, 2.0)).empty()) << "one look has no interval";

  const auto samples = await.update(disk(110, 1.5, 80, 3.5));

  ASSERT_EQ(samples.size(), 1U);
  EXPECT_EQ(samples[0].metric, "auscult_disk_await_seconds");
  EXPECT_DOUBLE_EQ(samples[0].value, 2.0 / 40);
}

TEST(DiskAwait, a_disk_without_io_has_no_await) {
  DiskAwait await;
  await.update(disk(100, 1.0, 50, 2.0));
  EXPECT_TRUE(await.update(disk(100, 1.0, 50, 2.0)).empty());
}

TEST(DiskAwait, counters_that_went_back_give_nothing_until_the_next_interval) {
  DiskAwait await;
  await.update(disk(100, 1.0, 50, 2.0));
  EXPECT_TRUE(await.update(disk(1, 0.1, 0, 0)).empty());

  const auto samples = await.update(disk(2, 0.2, 0, 0));

  ASSERT_EQ(samples.size(), 1U);
  EXPECT_NEAR(samples[0].value, 0.1, 1e-12);
}

}  // namespace
}  // namespace auscult::collect
