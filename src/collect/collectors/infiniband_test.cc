#include <gtest/gtest.h>

#include "collect/testing.h"

namespace auscult::collect {

Collector infiniband();

namespace {

TEST(Infiniband, words_become_bytes_and_gigabits_bytes) {
  const auto samples = infiniband().read(machine("gpu_node"));

  ASSERT_TRUE(samples) << samples.error().message;
  const auto series = by_series(*samples);
  EXPECT_EQ(
      series.at(R"(node_infiniband_port_data_received_bytes_total{device="mlx5_0",port="1"})"),
      4000);
  EXPECT_EQ(series.at(R"(node_infiniband_rate_bytes_per_second{device="mlx5_0",port="1"})"), 50e9);
  EXPECT_EQ(series.at(R"(node_infiniband_state_id{device="mlx5_0",port="1"})"), 4);
  EXPECT_EQ(series.at(R"(node_infiniband_link_downed_total{device="mlx5_0",port="1"})"), 3);
  EXPECT_EQ(
      series.at(
          R"(node_infiniband_info{board_id="MT_0000000838",device="mlx5_0",firmware_version="22.39.1002",hca_type="MT4129"})"),
      1);
  EXPECT_FALSE(
      series.contains(R"(node_infiniband_port_transmit_wait_total{device="mlx5_0",port="1"})"))
      << "the port cannot say";
}

TEST(Infiniband, a_host_without_it_gives_nothing_and_no_error) {
  const MadeHost made;

  const auto samples = infiniband().read(made.host());

  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_TRUE(samples->empty());
}

}  // namespace
}  // namespace auscult::collect
