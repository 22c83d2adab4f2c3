#include <gtest/gtest.h>

#include "bench/benchmark.h"
#include "bench/host_tree.h"

namespace auscult::bench {
namespace {

Result<Run> run_memory(model::Labels params, const std::filesystem::path& root = "/") {
  const auto table = all_benchmarks();
  return find_named(table, "memory_bandwidth")->run({.params = std::move(params), .root = root});
}

TEST(MemoryBandwidth, gives_plausible_figures) {
  const auto run = run_memory({{"seconds", "0.2"}, {"size", "64M"}});

  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->measurements.size(), 2U);
  EXPECT_EQ(run->measurements[0].metric, "bandwidth");
  EXPECT_GT(run->measurements[0].value, 0.01);
  EXPECT_LT(run->measurements[0].value, 10'000);
  EXPECT_GE(run->measurements[0].samples.size(), 3U);
  EXPECT_EQ(run->measurements[1].metric, "latency");
  EXPECT_GT(run->measurements[1].value, 0.5);
  EXPECT_LT(run->measurements[1].value, 10'000);
}

TEST(MemoryBandwidth, dependent_loads_from_memory_are_slower_than_from_the_cache) {
  const auto memory = run_memory({{"seconds", "0.2"}, {"size", "256M"}, {"threads", "1"}});
  const auto cache = run_memory({{"seconds", "0.2"}, {"size", "1M"}, {"threads", "1"}});
  ASSERT_TRUE(memory) << memory.error().message;
  ASSERT_TRUE(cache) << cache.error().message;
  EXPECT_GT(memory->measurements[1].value, cache->measurements[1].value);
}

// A tree whose CPU has 16 MiB of cache and whose memory is as given.
class MemoryTree : public HostTree {
 public:
  explicit MemoryTree(int64_t available_kib) : HostTree(testing::TempDir()) {
    write("proc/meminfo",
          "MemTotal: 8388608 kB\nMemAvailable: " + std::to_string(available_kib) + " kB\n");
    write("sys/devices/system/cpu/cpu0/cache/index3/size", "81920K\n");
  }
};

TEST(MemoryBandwidth, chooses_arrays_beyond_the_cache) {
  const MemoryTree tree(4 << 20);
  const auto run = run_memory({{"seconds", "0.1"}}, tree.root());
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(model::label(run->params, "size"), std::to_string(4 * 80 << 20));
}

TEST(MemoryBandwidth, does_not_take_memory_from_a_host_under_pressure) {
  const MemoryTree tree(100 << 10);  // 100 MiB available
  const auto chosen = run_memory({{"seconds", "0.1"}}, tree.root());
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().code, ErrorCode::unavailable);
  EXPECT_FALSE(run_memory({{"seconds", "0.1"}, {"size", "64M"}}, tree.root()));
}

}  // namespace
}  // namespace auscult::bench
