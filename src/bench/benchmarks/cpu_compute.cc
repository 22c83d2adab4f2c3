// cpu_compute: double-precision multiply-adds in registers, on all cores at once.
//
// Nothing but arithmetic: a figure below the host's own history means that the cores ran slower
// (heat, power, governor) or were not ours (other load, steal).

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/loop.h"
#include "base/text.h"
#include "bench/benchmark.h"
#include "bench/host.h"
#include "bench/params.h"

namespace auscult::bench {

Benchmark cpu_compute();

namespace {

// Independent chains of dependent FMAs. Two pipes with a latency of 4 to 5 cycles need 8 to 10 in
// flight; 12 leave a margin and still fit, with both constants, into 16 registers.
constexpr int chains = 12;

// Between two looks at the stop flag: some 10 microseconds.
constexpr int64_t rounds_per_block = 4096;

// x = x * a + b converges to b / (1 - a) = 1: no overflow, no denormals, whatever the time.
constexpr double factor = 0.5;
constexpr double addend = 0.5;

// Each kernel does one block and returns something that depends on all of it, so that no compiler
// can leave it out. Floating-point operations: 2 * lanes * chains * rounds_per_block.
struct Kernel {
  std::string_view name;
  int lanes;
  double (*block)(double start);
};

double portable_block(double start) {
  std::array<double, chains> x{};
  for (int i = 0; i < chains; ++i) x[static_cast<size_t>(i)] = start + i;
  for (int64_t round = 0; round < rounds_per_block; ++round) {
    for (double& value : x) value = value * factor + addend;
  }
  double sum = 0;
  for (const double value : x) sum += value;
  return sum;
}

#if defined(__x86_64__)
// A kernel is compiled for its instruction set alone, so the program still runs on any x86-64.
__attribute__((target("avx2,fma"))) double avx2_block(double start) {
  __m256d x[chains];
  for (int i = 0; i < chains; ++i) x[i] = _mm256_set1_pd(start + i);
  const __m256d a = _mm256_set1_pd(factor);
  const __m256d b = _mm256_set1_pd(addend);
  for (int64_t round = 0; round < rounds_per_block; ++round) {
    for (auto& value : x) value = _mm256_fmadd_pd(value, a, b);
  }
  __m256d sum = x[0];
  for (int i = 1; i < chains; ++i) sum = _mm256_add_pd(sum, x[i]);
  return _mm256_cvtsd_f64(sum);
}

__attribute__((target("avx512f"))) double avx512_block(double start) {
  __m512d x[chains];
  for (int i = 0; i < chains; ++i) x[i] = _mm512_set1_pd(start + i);
  const __m512d a = _mm512_set1_pd(factor);
  const __m512d b = _mm512_set1_pd(addend);
  for (int64_t round = 0; round < rounds_per_block; ++round) {
    for (auto& value : x) value = _mm512_fmadd_pd(value, a, b);
  }
  __m512d sum = x[0];
  for (int i = 1; i < chains; ++i) sum = _mm512_add_pd(sum, x[i]);
  return _mm512_cvtsd_f64(sum);
}
#endif

Kernel best_kernel() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return {"avx512", 8, avx512_block};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return {"avx2", 4, avx2_block};
  }
#endif
  return {"portable", 1, portable_block};
}

// On a line of its own, so that counting does not slow the neighbour down.
struct alignas(64) Progress {
  std::atomic<int64_t> blocks = 0;
  std::atomic<double> value = 0;
};

void work(const std::stop_token& stop, const Kernel& kernel, Progress& progress) {
  double value = 0;
  while (!stop.stop_requested()) {
    value = kernel.block(value);
    progress.blocks.fetch_add(1, std::memory_order_relaxed);
  }
  progress.value = value;
}

int64_t total_blocks(const std::vector<Progress>& all) {
  int64_t sum = 0;
  for (const Progress& one : all) sum += one.blocks.load(std::memory_order_relaxed);
  return sum;
}

Result<Run> run_cpu_compute(const Request& request) {
  model::Labels params = TRY(complete(cpu_compute().defaults, request.params));
  const double seconds = TRY(number_param(params, "seconds", {0.1, 3600}));
  int64_t threads = TRY(count_param(params, "threads", {0, 4096}));
  if (threads == 0) threads = cpu_count(request.root);
  const Kernel kernel = best_kernel();
  set_param(params, "threads", std::to_string(threads));
  if (request.progress) request.progress("cpu_compute: " + std::to_string(threads) + " threads");

  const double flops_per_block =
      2.0 * kernel.lanes * chains * static_cast<double>(rounds_per_block);
  const int slices = std::clamp(static_cast<int>(std::lround(seconds * 10)), 1, 600);
  const Clock& clock = system_clock();
  std::vector<Progress> progress(static_cast<size_t>(threads));
  std::vector<double> gflops;
  double total_seconds = 0;
  int64_t first = 0;
  int64_t last = 0;
  {
    // The threads are the measurement: they live for this block only.
    std::vector<std::jthread> workers;
    workers.reserve(progress.size());
    for (Progress& one : progress) {
      workers.emplace_back([&](const std::stop_token& stop) { work(stop, kernel, one); });
    }
    Sleeper sleeper;
    // The first tenth of a second wakes the cores and the vector units up and is not counted.
    sleeper.sleep(std::chrono::milliseconds(100), {});
    const auto start = clock.monotonic();
    auto then = start;
    first = last = total_blocks(progress);
    for (int slice = 0; slice < slices; ++slice) {
      // To a point in time, not for a duration: late wake-ups must not add up on a loaded host.
      const auto end =
          start + std::chrono::nanoseconds(std::llround(seconds * 1e9 * (slice + 1) / slices));
      sleeper.sleep(std::max(end - clock.monotonic(), std::chrono::nanoseconds(1'000'000)), {});
      const auto now = clock.monotonic();
      const int64_t blocks = total_blocks(progress);
      const double elapsed = std::chrono::duration<double>(now - then).count();
      gflops.push_back(static_cast<double>(blocks - last) * flops_per_block / elapsed / 1e9);
      total_seconds += elapsed;
      then = now;
      last = blocks;
    }
  }
  const double value = static_cast<double>(last - first) * flops_per_block / total_seconds / 1e9;
  set_param(params, "kernel", std::string(kernel.name));
  return Run{.device = "cpu",
             .params = params,
             .measurements = {{.metric = "gflops", .value = value, .samples = gflops}}};
}

double expected_seconds(const model::Labels& params) {
  return to_double(model::label(params, "seconds")).value_or(0) + 0.2;
}

}  // namespace

Benchmark cpu_compute() {
  return {.summary = "all cores: double-precision multiply-adds in registers",
          .metrics = {{"gflops", "GFLOP/s", Better::higher}},
          .preflight = {"cpu_governor", "cpu_turbo", "other_load"},
          .defaults = {{"seconds", "5"}, {"threads", "0"}},
          .run = run_cpu_compute,
          .expected_seconds = expected_seconds};
}

}  // namespace auscult::bench
