#include <gtest/gtest.h>

#include "bench/host_tree.h"
#include "bench/preflight/check_for_test.h"

namespace auscult::bench {
namespace {

using Verdict = PreflightFinding::Verdict;

TEST(CpuGovernor, performance_everywhere_is_clear) {
  HostTree tree(testing::TempDir());
  tree.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n")
      .write("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
  EXPECT_EQ(check_named("cpu_governor", {.root = tree.root()}).verdict, Verdict::clear);
}

TEST(CpuGovernor, one_cpu_that_saves_power_is_a_warning_with_the_count) {
  HostTree tree(testing::TempDir());
  tree.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n")
      .write("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n")
      .write("sys/devices/system/cpu/cpuidle/current_driver", "none\n");
  const auto finding = check_named("cpu_governor", {.root = tree.root()});
  EXPECT_EQ(finding.verdict, Verdict::warning);
  EXPECT_NE(finding.message.find("1 of 2 CPUs use the governor powersave"), std::string::npos)
      << finding.message;
}

TEST(CpuGovernor, a_virtual_machine_has_none_and_that_is_said) {
  HostTree tree(testing::TempDir());
  tree.write("sys/devices/system/cpu/cpu0/topology/core_id", "0\n");
  const auto finding = check_named("cpu_governor", {.root = tree.root()});
  EXPECT_EQ(finding.verdict, Verdict::no_data);
  EXPECT_NE(finding.message.find("no cpufreq"), std::string::npos);
}

}  // namespace
}  // namespace auscult::bench
