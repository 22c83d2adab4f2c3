// Did any of several metrics get worse between two sets of runs? Joint permutation of whole runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace auscult::stats {

struct PermutationOptions {
  int64_t max_exact = 20'000;  // enumerate all relabellings up to this many, else draw `rounds`
  int64_t rounds = 10'000;
  uint64_t seed = 1;  // same seed, same answer
};

struct PermutationResult {
  std::vector<double> mean_shift;  // per metric: mean(second) - mean(first), unit of the input
  std::vector<double> p_value;     // per metric, one-sided (second larger), adjusted for the number
                                   // of metrics (Westfall and Young's maxT): the chance that any
                                   // metric shifts as much when nothing changed is at most p
  double smallest_p = 1;           // the smallest p-value these numbers of runs could have given
};

// The smallest p-value that these numbers of runs can give.
double smallest_p(size_t first_runs, size_t second_runs, const PermutationOptions& options = {});

// The number of ways to label first_runs + second_runs runs, at most `at_most`.
int64_t relabellings(size_t first_runs, size_t second_runs, int64_t at_most);

// first[metric][run], second[metric][run]: every metric has the same runs. "Larger is worse": flip
// the sign of metrics where smaller is worse. Assumes runs are exchangeable when nothing changed.
// Needs 1 run a side and 3 in all. O(relabellings * metrics * runs).
Result<PermutationResult> permutation_test(std::span<const std::vector<double>> first,
                                           std::span<const std::vector<double>> second,
                                           const PermutationOptions& options = {});

}  // namespace auscult::stats
