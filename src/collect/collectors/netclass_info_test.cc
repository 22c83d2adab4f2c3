#include <gtest/gtest.h>

#include "collect/testing.h"

namespace auscult::collect {

Collector netclass_info();

namespace {

TEST(NetclassInfo, what_an_interface_is_stands_in_labels_and_ids) {
  const auto samples = netclass_info().read(machine("gpu_node"));

  ASSERT_TRUE(samples) << samples.error().message;
  const auto series = by_series(*samples);
  EXPECT_EQ(
      series.at(
          R"(node_network_info{address="02:00:00:00:00:01",adminstate="up",broadcast="",device="eth0",duplex="full",ifalias="",operstate="up"})"),
      1);
}

TEST(NetclassInfo, a_host_without_it_gives_nothing_and_no_error) {
  const MadeHost made;

  const auto samples = netclass_info().read(made.host());

  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_TRUE(samples->empty());
}

}  // namespace
}  // namespace auscult::collect
