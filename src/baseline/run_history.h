// Benchmark results put together to runs, and runs to the histories that may be compared.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/benchmark_result.h"

namespace auscult::baseline {

struct RunValue {
  double value = 0;
  std::string unit;
};

struct BenchmarkRun {
  std::string run_id;
  int64_t timestamp_ns = 0;
  bool trusted = true;                     // every result of it passed preflight
  std::map<std::string, RunValue> values;  // metric -> value, may be NaN
  std::map<std::string, std::string>
      made_with;  // kernel, driver, ... and "auscult": its git commit
};

// The runs of one benchmark on one device of one node with the same parameters.
struct RunHistory {
  std::string node_id, benchmark, device;
  model::Labels params;
  std::vector<BenchmarkRun> runs;  // oldest first
};

// Sorted by node, benchmark, device and parameters. Of a metric that a run reports twice the later
// result stays: a repeated delivery is one value.
std::vector<RunHistory> run_histories(const model::BenchmarkResults& results);

}  // namespace auscult::baseline
