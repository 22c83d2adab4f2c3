// memory_bandwidth: a triad (a = b + s * c) over arrays that no cache holds, and the time of a load
// whose address depends on the load before.

#include <sys/mman.h>

#include <algorithm>
#include <barrier>
#include <cmath>
#include <numeric>
#include <thread>

#include "base/text.h"
#include "bench/benchmark.h"
#include "bench/host.h"
#include "bench/params.h"

namespace auscult::bench {

Benchmark memory_bandwidth();

namespace {

// Four times the last-level cache leaves at most a quarter of a pass to it, and less in practice:
// the passes sweep, so what is cached has gone before it is used again.
constexpr int64_t cache_multiple = 4;
constexpr int64_t least_auto_bytes = int64_t{256} << 20U;
constexpr int64_t most_auto_bytes = int64_t{1} << 30U;  // touching more takes longer than measuring
constexpr int64_t unknown_cache_bytes = int64_t{64} << 20U;

// Of the host's memory, so that the size stays the same from run to run, and of what is available
// now, so that the measurement never drives a host under pressure into swap.
constexpr int64_t total_share = 4;
constexpr int64_t available_share = 2;

constexpr size_t line_bytes = 64;

// Pages that belong to us alone and are given back at the end.
class Mapping {
 public:
  explicit Mapping(size_t bytes)
      : bytes_(bytes),
        data_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    // Large pages where the host allows them: else the figure is that of the page tables.
    if (data_ != MAP_FAILED) ::madvise(data_, bytes_, MADV_HUGEPAGE);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (data_ != MAP_FAILED) ::munmap(data_, bytes_);
  }
  bool usable() const { return data_ != MAP_FAILED; }
  double* doubles() const { return static_cast<double*>(data_); }
  uint64_t* integers() const { return static_cast<uint64_t*>(data_); }

 private:
  size_t bytes_;
  void* data_;
};

// Whole mebibytes: sizes of two runs then compare as text.
int64_t whole_mebibytes(int64_t bytes) { return bytes >> 20U << 20U; }

Result<int64_t> choose_size(const model::Labels& params, const std::filesystem::path& root) {
  const auto memory_now = memory(root);
  const int64_t available = memory_now ? memory_now->available_bytes : most_auto_bytes;
  int64_t bytes = 0;
  if (model::label(params, "size") == "auto") {
    const int64_t cache = last_level_cache_bytes(root).value_or(unknown_cache_bytes);
    bytes = std::clamp(cache * cache_multiple, least_auto_bytes, most_auto_bytes);
    if (memory_now) bytes = std::min(bytes, memory_now->total_bytes / total_share);
    while (bytes > available / available_share && bytes > least_auto_bytes) bytes /= 2;
  } else {
    bytes = TRY(size_param(params, "size", {1 << 20, 1e13}));
  }
  bytes = whole_mebibytes(bytes);
  if (bytes > available / available_share) {
    return Error{ErrorCode::unavailable,
                 "arrays of " + format_bytes(static_cast<double>(bytes)) +
                     " would take more than half of the available memory (" +
                     format_bytes(static_cast<double>(available)) + ")"};
  }
  return bytes;
}

struct Slice {
  double* a;
  const double* b;
  const double* c;
  size_t n;  // a multiple of 8
};

void triad(const Slice& slice, double scale) {
  double* __restrict a = slice.a;
  const double* __restrict b = slice.b;
  const double* __restrict c = slice.c;
  // Blocks of a constant size: the compiler turns each into vector instructions.
  for (size_t i = 0; i + 8 <= slice.n; i += 8) {
    for (size_t k = 0; k < 8; ++k) a[i + k] = b[i + k] + scale * c[i + k];
  }
}

// GB/s of each pass of all threads together; bytes as STREAM counts them: two reads, one write.
std::vector<double> measure_bandwidth(double* data, size_t n_doubles, size_t threads,
                                      double seconds) {
  const size_t n_array = n_doubles / 3 / 8 * 8;
  const size_t n_slice = n_array / threads / 8 * 8;
  const Clock& clock = system_clock();
  const auto start = clock.monotonic();
  auto previous = start;
  std::vector<double> gigabytes_per_second;
  bool touched = false;  // the first pass only makes the pages ours
  bool done = false;
  const double pass_bytes = static_cast<double>(3 * sizeof(double) * n_slice * threads);
  constexpr size_t least_passes = 3;

  const auto after_pass = [&]() noexcept {
    const auto now = clock.monotonic();
    if (touched) {
      gigabytes_per_second.push_back(
          pass_bytes / static_cast<double>((now - previous).count()));  // bytes/ns = GB/s
    }
    touched = true;
    previous = now;
    done = gigabytes_per_second.size() >= least_passes &&
           std::chrono::duration<double>(now - start).count() >= seconds;
  };
  std::barrier barrier(static_cast<std::ptrdiff_t>(threads), after_pass);
  {
    // The threads are the measurement: they live for this block only.
    std::vector<std::jthread> workers;
    for (size_t t = 0; t < threads; ++t) {
      workers.emplace_back([&, t] {
        const Slice slice{data + t * n_slice, data + n_array + t * n_slice,
                          data + 2 * n_array + t * n_slice, n_slice};
        // Written by the thread that will use it, so that the pages lie in its own memory node.
        std::fill_n(data + t * n_slice, n_slice, 0.0);
        std::fill_n(data + n_array + t * n_slice, n_slice, 1.0);
        std::fill_n(data + 2 * n_array + t * n_slice, n_slice, 2.0);
        barrier.arrive_and_wait();
        while (!done) {
          triad(slice, 0.5);
          barrier.arrive_and_wait();
        }
      });
    }
  }
  return gigabytes_per_second;
}

// ns a load; every element must be zero. A linear congruential generator names the next cache line,
// so that no chain has to be built and stored and no prefetcher finds a stride; the zero that was
// loaded goes into its state, so that no load starts before the last has ended.
std::vector<double> measure_latency(const uint64_t* data, size_t n_lines, double seconds) {
  constexpr uint64_t multiplier = 6364136223846793005ULL;
  constexpr uint64_t increment = 1442695040888963407ULL;
  constexpr int64_t loads_per_sample = 200'000;
  const Clock& clock = system_clock();
  const auto start = clock.monotonic();
  std::vector<double> samples;
  uint64_t x = 1;
  constexpr size_t most_samples = 10'000;
  while (samples.size() < most_samples) {
    const auto before = clock.monotonic();
    for (int64_t i = 0; i < loads_per_sample; ++i) {
      // The high bits of the product are the random ones; the low bits repeat soon.
      const uint64_t line = ((x >> 32U) * n_lines) >> 32U;
      x = x * multiplier + increment + data[line * (line_bytes / sizeof(uint64_t))];
    }
    const auto after = clock.monotonic();
    samples.push_back(static_cast<double>((after - before).count()) / loads_per_sample);
    if (std::chrono::duration<double>(after - start).count() >= seconds) break;
  }
  // The walk must have happened for its last value to be known; 0 is one value in 2^64.
  if (x == 0) samples.clear();
  return samples;
}

double median(std::vector<double> values) {
  if (values.empty()) return NAN;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Result<Run> run_memory_bandwidth(const Request& request) {
  model::Labels params = TRY(complete(memory_bandwidth().defaults, request.params));
  const double seconds = TRY(number_param(params, "seconds", {0.1, 3600}));
  int64_t threads = TRY(count_param(params, "threads", {0, 1024}));
  if (threads == 0) threads = cpu_count(request.root);
  const int64_t bytes = TRY(choose_size(params, request.root));
  set_param(params, "threads", std::to_string(threads));
  set_param(params, "size", std::to_string(bytes));

  const Mapping mapping(static_cast<size_t>(bytes));
  if (!mapping.usable()) {
    return Error{ErrorCode::unavailable,
                 "the kernel gave no " + format_bytes(static_cast<double>(bytes))};
  }
  if (request.progress) {
    request.progress("memory_bandwidth: " + format_bytes(static_cast<double>(bytes)));
  }
  const auto n_doubles = static_cast<size_t>(bytes) / sizeof(double);
  const auto bandwidth =
      measure_bandwidth(mapping.doubles(), n_doubles, static_cast<size_t>(threads), seconds / 2);
  if (request.progress) request.progress("memory_bandwidth: latency");
  std::fill_n(mapping.integers(), n_doubles, 0);
  const auto latency =
      measure_latency(mapping.integers(), static_cast<size_t>(bytes) / line_bytes, seconds / 2);
  return Run{
      .device = "cpu",
      .params = params,
      .measurements = {{.metric = "bandwidth", .value = median(bandwidth), .samples = bandwidth},
                       {.metric = "latency", .value = median(latency), .samples = latency}}};
}

double expected_seconds(const model::Labels& params) {
  // Touching and clearing 1 GiB with one slow core.
  constexpr double touch_seconds = 2;
  return to_double(model::label(params, "seconds")).value_or(0) + touch_seconds;
}

}  // namespace

Benchmark memory_bandwidth() {
  return {.summary = "main memory: triad bandwidth of all cores, latency of dependent loads",
          .metrics = {{"bandwidth", "GB/s", Better::higher}, {"latency", "ns", Better::lower}},
          .preflight = {"cpu_governor", "other_load"},
          .defaults = {{"seconds", "4"}, {"size", "auto"}, {"threads", "0"}},
          .run = run_memory_bandwidth,
          .expected_seconds = expected_seconds};
}

}  // namespace auscult::bench
