#include <gtest/gtest.h>

#include "collect/testing.h"

namespace auscult::collect {

Collector diskstats();

namespace {

TEST(Diskstats, sectors_become_bytes_and_milliseconds_seconds) {
  const auto samples = diskstats().read(machine("gpu_node"));

  ASSERT_TRUE(samples) << samples.error().message;
  const auto series = by_series(*samples);
  EXPECT_EQ(series.at(R"(node_disk_reads_completed_total{device="nvme0n1"})"), 100);
  EXPECT_EQ(series.at(R"(node_disk_read_bytes_total{device="nvme0n1"})"), 2048 * 512);
  EXPECT_EQ(series.at(R"(node_disk_write_time_seconds_total{device="nvme0n1"})"), 150 * 0.001);
  EXPECT_EQ(series.at(R"(node_disk_io_now{device="nvme0n1"})"), 3);
  EXPECT_EQ(series.at(R"(node_disk_flush_requests_total{device="nvme0n1"})"), 4);
  EXPECT_FALSE(series.contains(R"(node_disk_flush_requests_total{device="sda"})")) << "old kernel";
  EXPECT_FALSE(series.contains(R"(node_disk_io_now{device="nvme0n1p1"})")) << "a partition";
  EXPECT_FALSE(series.contains(R"(node_disk_io_now{device="loop0"})"));
}

TEST(Diskstats, a_host_without_it_gives_nothing_and_no_error) {
  const MadeHost made;

  const auto samples = diskstats().read(made.host());

  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_TRUE(samples->empty());
}

TEST(Diskstats, a_truncated_line_is_named) {
  const MadeHost made;
  made.write("proc/diskstats", "8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n8 16 sdb 1 2 3\n");

  const auto samples = diskstats().read(made.host());

  ASSERT_FALSE(samples);
  EXPECT_EQ(samples.error().code, ErrorCode::corrupt);
  EXPECT_NE(samples.error().message.find("proc/diskstats:2"), std::string::npos)
      << samples.error().message;
}

}  // namespace
}  // namespace auscult::collect
