#include <gtest/gtest.h>

#include "collect/testing.h"

namespace auscult::collect {

Collector block_device();

namespace {

TEST(BlockDevice, the_scheduler_is_the_one_in_brackets) {
  const auto samples = block_device().read(machine("gpu_node"));

  ASSERT_TRUE(samples) << samples.error().message;
  const auto series = by_series(*samples);
  EXPECT_EQ(series.at(R"(auscult_block_device_rotational{device="nvme0n1",scheduler="bfq"})"), 1);
  EXPECT_EQ(series.at(R"(auscult_block_device_rotational{device="sda",scheduler="mq-deadline"})"),
            1);
}

TEST(BlockDevice, an_nvme_that_says_it_rotates_is_misdetected_and_a_sata_disk_may_rotate) {
  const auto samples = block_device().read(machine("gpu_node"));

  ASSERT_TRUE(samples) << samples.error().message;
  const auto series = by_series(*samples);
  EXPECT_EQ(series.at(R"(auscult_block_device_misdetected_rotational{device="nvme0n1"})"), 1);
  EXPECT_FALSE(series.contains(R"(auscult_block_device_misdetected_rotational{device="sda"})"));
}

TEST(BlockDevice, a_healthy_nvme_is_not_misdetected) {
  const MadeHost made;
  made.write("sys/block/nvme1n1/queue/rotational", "0\n");
  made.write("sys/block/nvme1n1/queue/scheduler", "none\n");

  const auto samples = block_device().read(made.host());

  ASSERT_TRUE(samples) << samples.error().message;
  const auto series = by_series(*samples);
  EXPECT_EQ(series.at(R"(auscult_block_device_misdetected_rotational{device="nvme1n1"})"), 0);
  EXPECT_EQ(series.at(R"(auscult_block_device_rotational{device="nvme1n1",scheduler="none"})"), 0);
}

TEST(BlockDevice, devices_without_a_medium_are_left_out) {
  const auto samples = block_device().read(machine("gpu_node"));

  ASSERT_TRUE(samples) << samples.error().message;
  for (const auto& sample : *samples) EXPECT_NE(model::label(sample.labels, "device"), "loop0");
}

TEST(BlockDevice, a_host_without_it_gives_nothing_and_no_error) {
  const MadeHost made;

  const auto samples = block_device().read(made.host());

  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_TRUE(samples->empty());
}

TEST(BlockDevice, a_word_in_place_of_the_flag_is_named) {
  const MadeHost made;
  made.write("sys/block/sda/queue/rotational", "yes\n");

  const auto samples = block_device().read(made.host());

  ASSERT_FALSE(samples);
  EXPECT_EQ(samples.error().code, ErrorCode::corrupt);
  EXPECT_NE(samples.error().message.find("sys/block/sda/queue/rotational"), std::string::npos)
      << samples.error().message;
}

}  // namespace
}  // namespace auscult::collect
