#include <gtest/gtest.h>

#include "collect/testing.h"

namespace auscult::collect {

Collector netdev();

namespace {

TEST(Netdev, columns_keep_their_meaning_when_the_colon_touches_the_number) {
  const auto samples = netdev().read(machine("gpu_node"));

  ASSERT_TRUE(samples) << samples.error().message;
  const auto series = by_series(*samples);
  EXPECT_EQ(series.at(R"(node_network_receive_bytes_total{device="eth0"})"), 1000);
  EXPECT_EQ(series.at(R"(node_network_receive_drop_total{device="eth0"})"), 2);
  EXPECT_EQ(series.at(R"(node_network_transmit_bytes_total{device="eth0"})"), 2000);
  EXPECT_EQ(series.at(R"(node_network_transmit_compressed_total{device="eth0"})"), 12);
  EXPECT_EQ(series.at(R"(node_network_transmit_bytes_total{device="eth0:1"})"), 6);
}

TEST(Netdev, a_host_without_it_gives_nothing_and_no_error) {
  const MadeHost made;

  const auto samples = netdev().read(made.host());

  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_TRUE(samples->empty());
}

TEST(Netdev, a_truncated_line_is_named) {
  const MadeHost made;
  made.write("proc/net/dev", "h\nh\n eth0: 1 2 3\n");

  const auto samples = netdev().read(made.host());

  ASSERT_FALSE(samples);
  EXPECT_EQ(samples.error().code, ErrorCode::corrupt);
  EXPECT_NE(samples.error().message.find("proc/net/dev:3"), std::string::npos)
      << samples.error().message;
}

}  // namespace
}  // namespace auscult::collect
