#include <gtest/gtest.h>

#include "collect/testing.h"

namespace auscult::collect {

Collector loadavg();

namespace {

TEST(Loadavg, the_three_averages) {
  const auto samples = loadavg().read(machine("gpu_node"));

  ASSERT_TRUE(samples) << samples.error().message;
  const auto series = by_series(*samples);
  EXPECT_EQ(series.at(R"(node_load1)"), 1.5);
  EXPECT_EQ(series.at(R"(node_load5)"), 2.25);
  EXPECT_EQ(series.at(R"(node_load15)"), 3.75);
}

TEST(Loadavg, a_host_without_it_gives_nothing_and_no_error) {
  const MadeHost made;

  const auto samples = loadavg().read(made.host());

  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_TRUE(samples->empty());
}

TEST(Loadavg, a_short_line_is_an_error) {
  const MadeHost made;
  made.write("proc/loadavg", "0.1 0.2");

  const auto samples = loadavg().read(made.host());

  ASSERT_FALSE(samples);
  EXPECT_EQ(samples.error().code, ErrorCode::corrupt);
  EXPECT_NE(samples.error().message.find("proc/loadavg:1"), std::string::npos)
      << samples.error().message;
}

}  // namespace
}  // namespace auscult::collect
