// The distribution of the one-sample Kolmogorov-Smirnov statistics under the null hypothesis.
#pragma once

#include <cstdint>

namespace auscult::stats {

// P(D+ >= distance) for n values, one-sided, exact (Birnbaum and Tingey). n >= 1. O(n).
double smirnov_survival(int64_t n, double distance);

// P(D >= distance) for n values, two-sided. n >= 1. The method for each region of (n, distance) is
// Simard and L'Ecuyer's (2011), as in scipy.stats.kstwo: exact up to n = 140, beyond that within
// 5e-6 of the exact value. O(n).
double kolmogorov_survival(int64_t n, double distance);

}  // namespace auscult::stats
