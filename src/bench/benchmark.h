// Benchmark: measures one capability of the node and says in which unit, and which way is better.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/named.h"
#include "base/result.h"
#include "model/benchmark_result.h"

namespace auscult::bench {

enum class Better : uint8_t { higher, lower, none };  // none: a fact, not a figure of merit

struct Metric {
  std::string_view name;
  std::string_view unit;
  Better better = Better::higher;
};

struct Request {
  std::string device;    // empty: the benchmark's default (mount point, interface, cpu)
  model::Labels params;  // what changes the figure: size, runtime; unknown names are refused
  std::filesystem::path scratch;     // folder for temporary files; they are removed, also on error
  std::filesystem::path root = "/";  // of /proc and /sys
  std::function<void(std::string_view)> progress;  // may be empty
};

struct Measurement {
  std::string metric;
  double value = 0;
  std::vector<double> samples;  // inside the run, may be empty
};

// What a run gave: the device that was really measured, every parameter (defaults filled in), the
// figures in the order of Benchmark::metrics.
struct Run {
  std::string device;
  model::Labels params;
  std::vector<Measurement> measurements;
};

struct Benchmark {
  std::string_view summary;
  std::vector<Metric> metrics;
  std::vector<std::string_view> preflight;  // names of the checks that apply
  model::Labels defaults;                   // every parameter it knows, with its default
  // not_found: a program is missing (the message names the package); unavailable: could not
  // measure.
  Result<Run> (*run)(const Request& request) = nullptr;
};

std::vector<Named<Benchmark>> all_benchmarks();

// The metric of a benchmark as catalog/benchmarks/*.yaml has it, also for benchmarks that this
// build cannot run (gpu_gemm, ...). Null when unknown.
const Metric* find_metric(std::string_view benchmark, std::string_view metric);

struct RunOptions {
  std::string benchmark;
  Request request;
  model::Tags tags;
  bool preflight = true;
};

// Preflight, run, results: one per metric, sharing a run_id. A failed check does not stop the run:
// it is stored in the results, which are then never part of a baseline.
Result<model::BenchmarkResults> run_benchmark(const RunOptions& options, const Clock& clock);

// kernel, cpu_model, driver, cuda, nccl, firmware: what can be found without a GPU library.
model::Labels cluster_version(const std::filesystem::path& root);

}  // namespace auscult::bench
