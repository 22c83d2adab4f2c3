// BenchmarkResult: one metric of one run of a benchmark, as DESIGN's format has it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/tags.h"

namespace auscult::model {

struct PreflightOutcome {
  bool passed = true;
  std::vector<std::string> warnings;
};

// What a run was made with. Results with a different kernel or driver are compared, never mixed up.
struct Provenance {
  std::string git_commit;  // of Auscult, at build time
  Labels cluster_version;  // kernel, driver, cuda, nccl, firmware, ... as far as known
};

struct BenchmarkResult {
  std::string run_id;  // shared by all metrics of one run
  int64_t timestamp_ns = 0;
  std::string benchmark;  // storage, cpu_compute, ...
  std::string metric;     // read_iops, ...
  double value = 0;
  std::string unit;
  std::string device;  // cpu, a mount point, eth0, gpu0
  Tags tags;
  Labels params;
  Provenance provenance;
  PreflightOutcome preflight;
  std::vector<double> samples;  // inside the run; autocorrelated, never a baseline by themselves
};

using BenchmarkResults = std::vector<BenchmarkResult>;

Json to_json(const BenchmarkResult& result);

// Reads what to_json writes, and results of others: top-level node_id too. invalid_input names the
// missing or wrong member.
Result<BenchmarkResult> benchmark_result_from_json(const Json& json);

}  // namespace auscult::model
