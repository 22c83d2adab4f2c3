// Did metrics shift for the worse between two sets of runs? The tests behind drift.
#pragma once

#include <string>
#include <vector>

#include "baseline/drift.h"
#include "bench/benchmark.h"

namespace auscult::baseline {

// baseline[run], fresh[run]; NaN where a run has no value. Every series has the same runs.
struct MetricSeries {
  std::string metric;
  std::string unit;
  bench::Better better = bench::Better::higher;
  std::vector<double> baseline;
  std::vector<double> fresh;
};

// The fewest baseline runs with which `fresh_runs` runs can reach alpha; 0: no number of them can.
size_t baseline_runs_needed(size_t fresh_runs, double alpha);

// One entry per metric that has enough runs to be judged, most drifted first. The chance that any
// of them is called drifted when nothing changed is at most alpha. `notes` names the others.
// Assumes runs are exchangeable when nothing changed.
std::vector<MetricDrift> judge_metrics(const std::vector<MetricSeries>& all_series,
                                       const DriftOptions& options,
                                       std::vector<std::string>& notes);

}  // namespace auscult::baseline
