// Quantiles and robust location and spread.
#pragma once

#include <span>

#include "base/result.h"

namespace auscult::stats {

// Linear interpolation between order statistics (R's type 7, numpy's default). NaN values are left
// out; invalid_input when none is left or q is outside 0..1. O(n).
Result<double> quantile(std::span<const double> values, double q);
Result<double> median(std::span<const double> values);

// Median absolute deviation times 1.4826: the standard deviation, were the values normal.
Result<double> mad_sigma(std::span<const double> values);

}  // namespace auscult::stats
