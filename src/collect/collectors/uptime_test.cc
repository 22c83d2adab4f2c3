#include <gtest/gtest.h>

#include "collect/testing.h"

namespace auscult::collect {

Collector uptime();

namespace {

TEST(Uptime, seconds_since_boot) {
  const auto samples = uptime().read(machine("gpu_node"));

  ASSERT_TRUE(samples) << samples.error().message;
  const auto series = by_series(*samples);
  EXPECT_EQ(series.at(R"(auscult_uptime_seconds)"), 86400.25);
}

TEST(Uptime, a_host_without_it_gives_nothing_and_no_error) {
  const MadeHost made;

  const auto samples = uptime().read(made.host());

  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_TRUE(samples->empty());
}

TEST(Uptime, no_number_is_an_error) {
  const MadeHost made;
  made.write("proc/uptime", "x\n");

  const auto samples = uptime().read(made.host());

  ASSERT_FALSE(samples);
  EXPECT_EQ(samples.error().code, ErrorCode::corrupt);
  EXPECT_NE(samples.error().message.find("proc/uptime:1"), std::string::npos)
      << samples.error().message;
}

}  // namespace
}  // namespace auscult::collect
