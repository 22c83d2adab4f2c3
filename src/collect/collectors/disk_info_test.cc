#include <gtest/gtest.h>

#include "collect/testing.h"

namespace auscult::collect {

Collector disk_info();

namespace {

TEST(DiskInfo, the_short_serial_wins_over_the_whole_one) {
  const auto samples = disk_info().read(machine("gpu_node"));

  ASSERT_TRUE(samples) << samples.error().message;
  const auto series = by_series(*samples);
  EXPECT_EQ(
      series.at(
          R"(node_disk_info{device="nvme0n1",major="259",minor="0",model="Flash 3000",path="",revision="",rotational="1",serial="F3K",wwn=""})"),
      1);
  EXPECT_EQ(
      series.at(
          R"(node_disk_filesystem_info{device="nvme0n1",type="ext4",usage="filesystem",uuid="aaaa-bbbb",version="1.0"})"),
      1);
  EXPECT_EQ(series.at(R"(node_disk_ata_rotation_rate_rpm{device="sda"})"), 7200);
  EXPECT_FALSE(series.contains(R"(node_disk_ata_rotation_rate_rpm{device="nvme0n1"})"));
}

TEST(DiskInfo, a_host_without_it_gives_nothing_and_no_error) {
  const MadeHost made;

  const auto samples = disk_info().read(made.host());

  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_TRUE(samples->empty());
}

}  // namespace
}  // namespace auscult::collect
