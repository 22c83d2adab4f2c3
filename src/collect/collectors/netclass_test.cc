#include <gtest/gtest.h>

#include "collect/testing.h"

namespace auscult::collect {

Collector netclass();

namespace {

TEST(Netclass, megabits_become_bytes_and_hexadecimal_is_read) {
  const auto samples = netclass().read(machine("gpu_node"));

  ASSERT_TRUE(samples) << samples.error().message;
  const auto series = by_series(*samples);
  EXPECT_EQ(series.at(R"(node_network_speed_bytes{device="eth0"})"), 50e9);
  EXPECT_EQ(series.at(R"(node_network_flags{device="eth0"})"), 4099);
  EXPECT_EQ(series.at(R"(node_network_up{device="eth0"})"), 1);
  EXPECT_EQ(series.at(R"(node_network_up{device="lo"})"), 0);
  EXPECT_EQ(series.at(R"(node_network_carrier_changes_total{device="eth0"})"), 4);
  EXPECT_FALSE(series.contains(R"(node_network_speed_bytes{device="lo"})")) << "-1: not known";
}

TEST(Netclass, a_file_among_the_interfaces_is_no_interface) {
  const auto samples = netclass().read(machine("gpu_node"));

  ASSERT_TRUE(samples) << samples.error().message;
  for (const auto& sample : *samples) {
    EXPECT_NE(model::label(sample.labels, "device"), "bonding_masters");
  }
}

TEST(Netclass, a_host_without_it_gives_nothing_and_no_error) {
  const MadeHost made;

  const auto samples = netclass().read(made.host());

  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_TRUE(samples->empty());
}

}  // namespace
}  // namespace auscult::collect
