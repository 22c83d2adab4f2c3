#include <gtest/gtest.h>

#include "collect/testing.h"

namespace auscult::collect {

Collector pressure();

namespace {

TEST(Pressure, microseconds_become_seconds) {
  const auto samples = pressure().read(machine("gpu_node"));

  ASSERT_TRUE(samples) << samples.error().message;
  const auto series = by_series(*samples);
  EXPECT_EQ(series.at(R"(node_pressure_cpu_waiting_seconds_total)"), 2.5);
  EXPECT_EQ(series.at(R"(node_pressure_io_waiting_seconds_total)"), 4);
  EXPECT_EQ(series.at(R"(node_pressure_io_stalled_seconds_total)"), 1);
  EXPECT_EQ(series.size(), 3U) << "the cpu's full line is always zero and left out";
}

TEST(Pressure, a_host_without_it_gives_nothing_and_no_error) {
  const MadeHost made;

  const auto samples = pressure().read(made.host());

  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_TRUE(samples->empty());
}

TEST(Pressure, a_line_without_a_total_is_named) {
  const MadeHost made;
  made.write("proc/pressure/io", "some avg10=0.00\n");

  const auto samples = pressure().read(made.host());

  ASSERT_FALSE(samples);
  EXPECT_EQ(samples.error().code, ErrorCode::corrupt);
  EXPECT_NE(samples.error().message.find("proc/pressure/io:1"), std::string::npos)
      << samples.error().message;
}

}  // namespace
}  // namespace auscult::collect
