#include <gtest/gtest.h>

#include "bench/host_tree.h"
#include "bench/preflight/check_for_test.h"

namespace auscult::bench {
namespace {

using Verdict = PreflightFinding::Verdict;

TEST(CpuTurbo, both_drivers_are_understood) {
  HostTree intel(testing::TempDir());
  intel.write("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  EXPECT_EQ(check_named("cpu_turbo", {.root = intel.root()}).verdict, Verdict::clear);
  intel.write("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
  EXPECT_EQ(check_named("cpu_turbo", {.root = intel.root()}).verdict, Verdict::warning);

  HostTree other(testing::TempDir());
  other.write("sys/devices/system/cpu/cpufreq/boost", "1\n");
  EXPECT_EQ(check_named("cpu_turbo", {.root = other.root()}).verdict, Verdict::clear);
  other.write("sys/devices/system/cpu/cpufreq/boost", "0\n");
  const auto off = check_named("cpu_turbo", {.root = other.root()});
  EXPECT_EQ(off.verdict, Verdict::warning);
  EXPECT_NE(off.message.find("1 to cpufreq/boost"), std::string::npos) << off.message;
}

TEST(CpuTurbo, a_host_that_does_not_say_is_no_data) {
  const HostTree tree(testing::TempDir());
  EXPECT_EQ(check_named("cpu_turbo", {.root = tree.root()}).verdict, Verdict::no_data);
}

}  // namespace
}  // namespace auscult::bench
