#include <gtest/gtest.h>

#include "collect/testing.h"

namespace auscult::collect {

Collector meminfo();

namespace {

TEST(Meminfo, kilobytes_become_bytes_and_pages_stay_pages) {
  const auto samples = meminfo().read(machine("gpu_node"));

  ASSERT_TRUE(samples) << samples.error().message;
  const auto series = by_series(*samples);
  EXPECT_EQ(series.at(R"(node_memory_MemTotal_bytes)"), 1056000000.0 * 1024);
  EXPECT_EQ(series.at(R"(node_memory_Active_anon_bytes)"), 2000 * 1024);
  EXPECT_EQ(series.at(R"(node_memory_HugePages_Total)"), 16);
  EXPECT_EQ(series.at(R"(node_memory_Hugepagesize_bytes)"), 2048 * 1024);
}

TEST(Meminfo, a_host_without_it_gives_nothing_and_no_error) {
  const MadeHost made;

  const auto samples = meminfo().read(made.host());

  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_TRUE(samples->empty());
}

TEST(Meminfo, a_truncated_line_is_named) {
  const MadeHost made;
  made.write("proc/meminfo", "MemTotal: 1 kB\nMemFree:");

  const auto samples = meminfo().read(made.host());

  ASSERT_FALSE(samples);
  EXPECT_EQ(samples.error().code, ErrorCode::corrupt);
  EXPECT_NE(samples.error().message.find("proc/meminfo:2"), std::string::npos)
      << samples.error().message;
}

}  // namespace
}  // namespace auscult::collect
