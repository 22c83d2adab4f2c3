#include <gtest/gtest.h>

#include "collect/testing.h"

namespace auscult::collect {

Collector cpu();

namespace {

TEST(Cpu, seconds_are_hundredths_of_the_ticks) {
  const auto samples = cpu().read(machine("gpu_node"));

  ASSERT_TRUE(samples) << samples.error().message;
  const auto series = by_series(*samples);
  EXPECT_EQ(series.at(R"(node_cpu_seconds_total{cpu="1",mode="user"})"), 20);
  EXPECT_EQ(series.at(R"(node_cpu_seconds_total{cpu="0",mode="steal"})"), 0.04);
  EXPECT_EQ(series.at(R"(node_cpu_guest_seconds_total{cpu="0",mode="nice"})"), 0.06);
  EXPECT_EQ(series.at(R"(node_context_switches_total)"), 987654);
  EXPECT_EQ(series.at(R"(node_forks_total)"), 4242);
  EXPECT_EQ(series.at(R"(node_intr_total)"), 123456);
  EXPECT_EQ(series.at(R"(node_boot_time_seconds)"), 1790000000);
  EXPECT_EQ(series.at(R"(node_procs_running)"), 3);
  EXPECT_EQ(series.at(R"(node_procs_blocked)"), 1);
  EXPECT_FALSE(series.contains(R"(node_cpu_seconds_total{cpu="",mode="user"})")) << "the sum";
}

TEST(Cpu, a_host_without_it_gives_nothing_and_no_error) {
  const MadeHost made;

  const auto samples = cpu().read(made.host());

  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_TRUE(samples->empty());
}

TEST(Cpu, an_old_kernel_has_fewer_columns) {
  const MadeHost made;
  made.write("proc/stat", "cpu0 1 2 3 400\n");

  const auto samples = cpu().read(made.host());

  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_EQ(samples->size(), 4U);
}

TEST(Cpu, a_truncated_line_is_named) {
  const MadeHost made;
  made.write("proc/stat", "cpu  1 2 3 4\ncpu0 1 2");

  const auto samples = cpu().read(made.host());

  ASSERT_FALSE(samples);
  EXPECT_EQ(samples.error().code, ErrorCode::corrupt);
  EXPECT_NE(samples.error().message.find("proc/stat:2"), std::string::npos)
      << samples.error().message;
}

TEST(Cpu, a_word_in_place_of_a_number_is_named) {
  const MadeHost made;
  made.write("proc/stat", "cpu0 1 2 x 4\n");

  const auto samples = cpu().read(made.host());

  ASSERT_FALSE(samples);
  EXPECT_EQ(samples.error().code, ErrorCode::corrupt);
  EXPECT_NE(samples.error().message.find("proc/stat:1"), std::string::npos)
      << samples.error().message;
}

}  // namespace
}  // namespace auscult::collect
