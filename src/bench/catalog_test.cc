#include "bench/catalog.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace auscult::bench {
namespace {

TEST(Catalog, names_every_benchmark_of_the_design) {
  for (const auto* name :
       {"cpu_compute", "memory_bandwidth", "storage", "network", "network_microburst", "gpu_launch",
        "gpu_gemm", "gpu_memory", "nccl_allreduce", "gloo_allreduce", "ai_bench", "probe"}) {
    EXPECT_TRUE(std::any_of(catalog().begin(), catalog().end(), [&](const CatalogEntry& entry) {
      return entry.benchmark == name;
    })) << name;
  }
}

TEST(Catalog, agrees_with_every_benchmark_that_runs_here) {
  for (const auto& [name, benchmark] : all_benchmarks()) {
    const auto entry = std::find_if(catalog().begin(), catalog().end(),
                                    [&](const auto& one) { return one.benchmark == name; });
    ASSERT_NE(entry, catalog().end()) << name << " has no file in catalog/benchmarks";
    ASSERT_EQ(entry->metrics.size(), benchmark.metrics.size()) << name;
    for (size_t i = 0; i < benchmark.metrics.size(); ++i) {
      EXPECT_EQ(entry->metrics[i].name, benchmark.metrics[i].name) << name;
      EXPECT_EQ(entry->metrics[i].unit, benchmark.metrics[i].unit) << name;
      EXPECT_EQ(entry->metrics[i].better, benchmark.metrics[i].better) << name;
    }
  }
}

TEST(Catalog, finds_a_metric_also_of_what_cannot_run_here) {
  const Metric* tflops = find_metric("gpu_gemm", "tflops");
  ASSERT_NE(tflops, nullptr);
  EXPECT_EQ(tflops->unit, "TFLOP/s");
  EXPECT_EQ(tflops->better, Better::higher);
  EXPECT_EQ(find_metric("storage", "read_p99")->better, Better::lower);
  EXPECT_EQ(find_metric("probe", "load1")->better, Better::none);
  EXPECT_EQ(find_metric("storage", "tflops"), nullptr);
  EXPECT_EQ(find_metric("storag", "read_p99"), nullptr);
}

TEST(Catalog, a_typing_error_is_named_with_its_line) {
  const auto entry = read_catalog_entry(
      "benchmark: x\nsummary: s\ndevice: cpu\nmetrics:\n"
      "  - {name: a, unit: s, better: lower}\n  - {name: b, unit: s, beter: lower}\n",
      "x.yaml");
  ASSERT_FALSE(entry);
  EXPECT_NE(entry.error().message.find("x.yaml:6"), std::string::npos) << entry.error().message;

  const auto sideways = read_catalog_entry(
      "benchmark: x\nsummary: s\ndevice: cpu\nmetrics:\n  - {name: a, unit: s, better: up}\n",
      "x.yaml");
  ASSERT_FALSE(sideways);
  EXPECT_NE(sideways.error().message.find("not 'up'"), std::string::npos);

  EXPECT_FALSE(read_catalog_entry("benchmark: x\nsummary: s\ndevice: cpu\n", "x.yaml"));
}

}  // namespace
}  // namespace auscult::bench
