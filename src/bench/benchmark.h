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
  double max_seconds = 0;  // a tool that has not ended by then is killed: unavailable; 0: no limit
};

struct Measurement {
  std::string metric;
  double value = 0;
  std::vector<double> samples;  // inside the run, may be empty
};

// What a benchmark itself did to the block device, preparation included: what the device did beyond
// that, others asked for.
struct OwnIo {
  double reads = 0;
  double writes = 0;
  double read_bytes = 0;
  double write_bytes = 0;
};

// What a run gave: the device that was really measured, every parameter (defaults filled in), the
// figures in the order of Benchmark::metrics. A metric that could not be observed in this run (the
// phase was not selected, no I/O happened) is left out.
struct Run {
  std::string device;
  model::Labels params;
  std::vector<Measurement> measurements;
  OwnIo own_io;
  std::vector<std::string> warnings;  // what makes this run unlike the one that was asked for
};

struct Benchmark {
  std::string_view summary;
  std::vector<Metric> metrics;
  std::vector<std::string_view> preflight;  // names of the checks that apply
  model::Labels defaults;                   // every parameter it knows, with its default
  bool uses_scratch = false;                // writes to Request::scratch, so the disk matters
  // not_found: a program is missing (the message names the package); unavailable: could not
  // measure.
  Result<Run> (*run)(const Request& request) = nullptr;
  // About how long a run with these parameters (all of them given) takes, without preflight.
  double (*expected_seconds)(const model::Labels& params) = nullptr;
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

// As run_benchmark, and what the benchmark itself did to the disk.
struct CompletedRun {
  model::BenchmarkResults results;
  OwnIo own_io;
};
Result<CompletedRun> run_benchmark_counting_io(const RunOptions& options, const Clock& clock);

// The checks that apply to a benchmark. Failed: the figure would not be what it says (others use
// the machine, memory in place of a disk). Warning: the figure is true, but not the machine's best.
// What could not be checked is a warning too. not_found: no such benchmark.
Result<model::PreflightOutcome> run_preflight(std::string_view benchmark, const Request& request);

// `params` over the defaults of the benchmark. invalid_input names an unknown parameter and the
// nearest known one; not_found: no such benchmark.
Result<model::Labels> complete_params(std::string_view benchmark, const model::Labels& params);

// The commit this program was built from, 40 hexadecimal digits, or "unknown".
std::string_view git_commit();

// kernel, cpu_model, driver, cuda, nccl, firmware: what can be found without a GPU library.
model::Labels cluster_version(const std::filesystem::path& root);

}  // namespace auscult::bench
