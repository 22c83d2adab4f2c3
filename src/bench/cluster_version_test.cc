#include <gtest/gtest.h>

#include "bench/benchmark.h"
#include "bench/host_tree.h"

namespace auscult::bench {
namespace {

TEST(ClusterVersion, has_what_proc_and_sys_tell) {
  HostTree tree(testing::TempDir());
  tree.write("proc/version", "Linux version 6.1.0-18-amd64 (x@y) (gcc-12) #1 SMP\n")
      .write("proc/cpuinfo",
             "processor : 0\nmodel name\t: Example CPU 9000\nmicrocode\t: 0x2b\n"
             "\nprocessor : 1\nmodel name\t: Example CPU 9000\n")
      .write("etc/os-release", "NAME=\"Example\"\nPRETTY_NAME=\"Example Linux 12\"\n")
      .write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n")
      .write("proc/driver/nvidia/version",
             "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19\n"
             "GCC version:  gcc version 12.2.0\n")
      .write("sys/class/infiniband/mlx5_0/fw_ver", "28.39.1002\n")
      .write("sys/class/infiniband/mlx5_1/fw_ver", "28.39.1003\n");

  EXPECT_EQ(cluster_version(tree.root()),
            (model::Labels{{"cpu_governor", "powersave"},
                           {"cpu_model", "Example CPU 9000"},
                           {"driver", "535.129.03"},
                           {"firmware", "mlx5_0 28.39.1002, mlx5_1 28.39.1003"},
                           {"kernel", "6.1.0-18-amd64"},
                           {"microcode", "0x2b"},
                           {"os", "Example Linux 12"}}));
}

TEST(ClusterVersion, what_is_not_there_is_left_out) {
  const HostTree tree(testing::TempDir());
  const auto labels = cluster_version(tree.root());
  ASSERT_EQ(labels.size(), 1U);
  EXPECT_EQ(labels[0].first, "kernel");  // the running kernel's own word
}

TEST(GitCommit, is_a_commit_or_says_that_it_is_unknown) {
  const auto commit = git_commit();
  EXPECT_TRUE(commit == "unknown" ||
              (commit.size() >= 40 &&
               commit.find_first_not_of("0123456789abcdef") == std::string_view::npos))
      << commit;
}

}  // namespace
}  // namespace auscult::bench
