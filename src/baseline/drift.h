// Drift: is the node slower than its own last days? Judged on runs, not on samples inside a run.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "bench/benchmark.h"
#include "model/benchmark_result.h"

namespace auscult::baseline {

struct DriftOptions {
  std::chrono::hours history{24 * 7};
  size_t fresh_runs = 5;  // the newest runs are compared with the rest, unless fresh_since is set;
                          // three find a fall to a third in half of the cases, five in nearly all
  int64_t fresh_since_ns = 0;           // runs from then on are the fresh ones
  std::set<std::string> fresh_run_ids;  // when not empty: exactly these are fresh, trusted or not
                                        // (an experiment during an incident runs on a loaded node)
  double alpha = 0.01;       // chance of calling drift on a benchmark when nothing changed
  double min_effect = 0.10;  // share of the baseline median; a smaller change is not worth a word
  size_t min_ks_runs = 20;   // from this many baseline runs, with 8 fresh, KS; below: permutation
};

struct MetricDrift {
  std::string metric;
  std::string unit;
  double score = 0;         // 0..1: one-sided KS distance in the direction of "worse"
  double baseline = 0;      // median of the baseline runs
  double measured = 0;      // median of the fresh runs
  double change_ratio = 0;  // measured / baseline - 1
  double p_value = 1;       // adjusted for the number of metrics
  std::string test;         // "ks" or "permutation"
  // For the worse by min_effect at least and by three standard errors of the medians, as the spread
  // of the baseline runs gives them; and p_value at most alpha / 5 or, where so few runs cannot
  // reach that, the smallest they can, which is at most alpha.
  bool drifted = false;
};

struct Drift {
  enum class Verdict : uint8_t { no_data, no_baseline, clear, found };
  Verdict verdict = Verdict::no_data;
  std::string message;  // for no_data and no_baseline: what is missing, how many runs more
  std::string node_id, benchmark, device;
  model::Labels params;
  size_t baseline_runs = 0;
  size_t fresh_runs = 0;
  double score = 0;                  // the largest of the drifted metrics, else of all
  std::vector<MetricDrift> metrics;  // most drifted first; callers show the first three
  std::vector<std::string> notes;    // "kernel changed from 6.1 to 6.18 between baseline and now"
};

// One entry a (node, benchmark, device, params) found in `results`. Untrusted results are left out
// and counted in the notes. `now_ns` bounds the history. The baseline are the trusted runs before
// the first fresh one. Five fresh runs need 4 in the baseline at the default alpha, three need 7,
// one needs 99; more find smaller changes.
std::vector<Drift> find_drift(const model::BenchmarkResults& results, const DriftOptions& options,
                              int64_t now_ns);

// The same with another catalogue: the metric of a benchmark, or null when unknown.
using MetricLookup = std::function<const bench::Metric*(std::string_view, std::string_view)>;
std::vector<Drift> find_drift(const model::BenchmarkResults& results, const DriftOptions& options,
                              int64_t now_ns, const MetricLookup& find_metric);

Json to_json(const Drift& drift);
std::string_view to_text(Drift::Verdict verdict);

}  // namespace auscult::baseline
