#include <gtest/gtest.h>

#include "bench/benchmark.h"
#include "bench/host_tree.h"

namespace auscult::bench {
namespace {

Result<Run> run_probe(const std::filesystem::path& root, model::Labels params = {}) {
  const auto table = all_benchmarks();
  return find_named(table, "probe")->run({.params = std::move(params), .root = root});
}

TEST(Probe, reads_the_facts_of_a_host) {
  HostTree tree(testing::TempDir());
  tree.write("proc/uptime", "12345.67 99.00\n")
      .write("proc/loadavg", "1.50 1.00 0.50 2/300 12345\n")
      .write("proc/self/mountinfo", "27 1 8:0 / / rw - ext4 /dev/sda rw\n")
      .write("proc/diskstats", "8 0 sda 1 0 1 1 1 0 1 1 0 77 1 0 0 0\n")
      .write("sys/class/block/sda/queue/rotational", "1\n");

  const auto run = run_probe(tree.root(), {{"seconds", "0.01"}});

  ASSERT_TRUE(run) << run.error().message;
  // No time passed on this host: what needs two looks is left out, not reported as zero.
  ASSERT_EQ(run->measurements.size(), 3U);
  EXPECT_EQ(run->measurements[0].metric, "uptime");
  EXPECT_EQ(run->measurements[0].value, 12345.67);
  EXPECT_EQ(run->measurements[1].metric, "load1");
  EXPECT_EQ(run->measurements[1].value, 1.5);
  EXPECT_EQ(run->measurements[2].metric, "block_device_rotational");
  EXPECT_EQ(run->measurements[2].value, 1);
  EXPECT_EQ(run->device, "node");
}

TEST(Probe, sees_the_waiting_of_the_real_host) {
  const auto run = run_probe("/", {{"seconds", "0.2"}});
  ASSERT_TRUE(run) << run.error().message;
  bool has_io_wait = false;
  for (const auto& measurement : run->measurements) {
    if (measurement.metric != "io_wait_ratio") continue;
    has_io_wait = true;
    EXPECT_GE(measurement.value, 0);
    EXPECT_LE(measurement.value, 1);
  }
  EXPECT_TRUE(has_io_wait);
}

}  // namespace
}  // namespace auscult::bench
