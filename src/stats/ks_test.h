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
// max(n) <= 10,000, else asymptotic. `greater`: the distribution function of `first` lies above,
// that is, its values tend to be smaller. Ties make the exact p-value conservative. Needs 1 finite
// value a side.
Result<KsResult> ks_test(std::span<const double> first, std::span<const double> second,
                         Alternative alternative = Alternative::two_sided);

}  // namespace auscult::stats
