// Do two samples come from one distribution? Two-sample Kolmogorov-Smirnov.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"

namespace auscult::stats {

enum class Alternative : uint8_t { two_sided, less, greater };

struct KsResult {
  double statistic;  // D, 0..1: the largest gap between the empirical distribution functions
  double p_value;
};

// As scipy.stats.ks_2samp(first, second, alternative, method='auto') of scipy 1.10: exact where
// max(n) <= 10,000, else asymptotic; one-sided with unequal sizes also asymptotic where the number
// of orders leaves the range of double (about 1,030 values in all). `greater`: the distribution
// function of `first` lies above, that is, its values tend to be smaller. Ties make the exact
// p-value conservative. Assumes independent values. Needs 1 finite value a side; values that are
// not finite are left out. O(n log n), exact with unequal sizes O(n_first * n_second).
Result<KsResult> ks_test(std::span<const double> first, std::span<const double> second,
                         Alternative alternative = Alternative::two_sided);

}  // namespace auscult::stats
