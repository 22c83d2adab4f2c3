// Do two series move together? Pearson's r and Spearman's rho.
#pragma once

#include <span>

#include "base/result.h"

namespace auscult::stats {

struct Correlation {
  double coefficient;  // -1..1; NaN when a side is constant
  double p_value;      // two-sided; NaN when the coefficient is
};

// x[i] belongs to y[i]. Needs 2 pairs, all finite. p as scipy.stats.pearsonr and spearmanr (1.10).
// Assumes independent pairs: on autocorrelated series p is too small, use it to rank, not to prove.
Result<Correlation> pearson(std::span<const double> x, std::span<const double> y);
Result<Correlation> spearman(std::span<const double> x, std::span<const double> y);

}  // namespace auscult::stats
