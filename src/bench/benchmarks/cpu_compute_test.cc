#include <gtest/gtest.h>

#include "bench/benchmark.h"

namespace auscult::bench {
namespace {

Result<Run> run_cpu_compute(model::Labels params) {
  const auto table = all_benchmarks();
  return find_named(table, "cpu_compute")->run({.params = std::move(params)});
}

TEST(CpuCompute, gives_a_plausible_figure_with_its_slices) {
  const auto run = run_cpu_compute({{"seconds", "0.5"}, {"threads", "1"}});

  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->measurements.size(), 1U);
  const auto& gflops = run->measurements[0];
  EXPECT_EQ(gflops.metric, "gflops");
  // Unoptimised builds reach a tenth of a GFLOP/s; no core of today does a thousand.
  EXPECT_GT(gflops.value, 0.01);
  EXPECT_LT(gflops.value, 1000);
  EXPECT_EQ(gflops.samples.size(), 5U);
  EXPECT_EQ(run->device, "cpu");
}

TEST(CpuCompute, says_how_many_threads_and_which_instructions_it_used) {
  const auto run = run_cpu_compute({{"seconds", "0.1"}});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_NE(model::label(run->params, "threads"), "0");
  EXPECT_FALSE(model::label(run->params, "kernel").empty());
}

TEST(CpuCompute, parameters_that_make_no_sense_are_refused) {
  EXPECT_FALSE(run_cpu_compute({{"seconds", "0"}}));
  EXPECT_FALSE(run_cpu_compute({{"threads", "-1"}}));
  EXPECT_FALSE(run_cpu_compute({{"kernel", "avx2"}}));
}

}  // namespace
}  // namespace auscult::bench
