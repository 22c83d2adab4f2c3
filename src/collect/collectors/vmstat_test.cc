#include <gtest/gtest.h>

#include "collect/testing.h"

namespace auscult::collect {

Collector vmstat();

namespace {

TEST(Vmstat, only_paging_swapping_faults_and_oom_kills) {
  const auto samples = vmstat().read(machine("gpu_node"));

  ASSERT_TRUE(samples) << samples.error().message;
  const auto series = by_series(*samples);
  EXPECT_EQ(series.at(R"(node_vmstat_oom_kill)"), 2);
  EXPECT_EQ(series.at(R"(node_vmstat_pswpin)"), 13);
  EXPECT_EQ(series.at(R"(node_vmstat_pgmajfault)"), 16);
  EXPECT_EQ(series.size(), 7U);
}

TEST(Vmstat, a_host_without_it_gives_nothing_and_no_error) {
  const MadeHost made;

  const auto samples = vmstat().read(made.host());

  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_TRUE(samples->empty());
}

TEST(Vmstat, a_field_without_a_number_is_named) {
  const MadeHost made;
  made.write("proc/vmstat", "nr_free 1\noom_kill\n");

  const auto samples = vmstat().read(made.host());

  ASSERT_FALSE(samples);
  EXPECT_EQ(samples.error().code, ErrorCode::corrupt);
  EXPECT_NE(samples.error().message.find("proc/vmstat:2"), std::string::npos)
      << samples.error().message;
}

}  // namespace
}  // namespace auscult::collect
