#include "stats/kolmogorov.h"

#include <algorithm>
#include <array>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numbers>
#include <vector>

namespace auscult::stats {
namespace {

using std::numbers::pi;

// Regions of Simard and L'Ecuyer, table 1: up to this n exact methods are affordable everywhere.
constexpr int64_t max_small_n = 140;
constexpr double max_exact_small = 4;       // n d^2; above it twice the one-sided value is enough
constexpr double min_doubling_large = 2.2;  // the same for n > 140
constexpr double zero_from = 370;           // n d^2 where the value is below 1e-300
constexpr int64_t max_matrix_n = 100'000;
constexpr double max_matrix_region = 1.4;  // n d^1.5; keeps the matrix below 120 rows

// A square matrix of doubles with a power of two beside it, since powers leave the range of double.
struct ScaledMatrix {
  size_t size = 0;
  std::vector<double> cells;  // cells[row * size + column]
  int64_t exponent = 0;

  double& at(size_t row, size_t column) { return cells[row * size + column]; }
  double at(size_t row, size_t column) const { return cells[row * size + column]; }
};

ScaledMatrix product(const ScaledMatrix& left, const ScaledMatrix& right) {
  ScaledMatrix result{left.size, std::vector<double>(left.cells.size(), 0.0),
                      left.exponent + right.exponent};
  for (size_t row = 0; row < left.size; ++row) {
    for (size_t inner = 0; inner < left.size; ++inner) {
      const double factor = left.at(row, inner);
      if (factor == 0) continue;
      for (size_t column = 0; column < left.size; ++column) {
        result.at(row, column) += factor * right.at(inner, column);
      }
    }
  }
  const double largest = *std::max_element(result.cells.begin(), result.cells.end());
  if (largest > 0) {
    const int shift = std::ilogb(largest);
    for (double& cell : result.cells) cell = std::ldexp(cell, -shift);
    result.exponent += shift;
  }
  return result;
}

ScaledMatrix power(ScaledMatrix base, int64_t exponent) {
  ScaledMatrix result{base.size, std::vector<double>(base.cells.size(), 0.0), 0};
  for (size_t row = 0; row < base.size; ++row) result.at(row, row) = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = product(result, base);
    if (exponent > 1) base = product(base, base);
  }
  return result;
}

// P(D < d), exact: Durbin's matrix in the form of Marsaglia, Tsang and Wang (2003). With
// n d = k - h, the probability is n! / n^n times the middle element of the n-th power.
double durbin_cdf(int64_t n, double distance) {
  const double nd = static_cast<double>(n) * distance;
  const auto k = static_cast<size_t>(std::ceil(nd));
  const double h = static_cast<double>(k) - nd;
  const size_t size = 2 * k - 1;

  std::vector<double> inverse_factorial(size + 1, 1.0);
  for (size_t i = 1; i <= size; ++i) {
    inverse_factorial[i] = inverse_factorial[i - 1] / static_cast<double>(i);
  }
  ScaledMatrix steps{size, std::vector<double>(size * size, 0.0), 0};
  for (size_t row = 0; row < size; ++row) {
    for (size_t column = 0; column <= std::min(row + 1, size - 1); ++column) {
      steps.at(row, column) = inverse_factorial[row + 1 - column];
    }
  }
  // The first column and the last row meet the boundary, which cuts off a part of the simplex.
  for (size_t i = 0; i < size; ++i) {
    const double cut = std::pow(h, static_cast<double>(i + 1)) * inverse_factorial[i + 1];
    steps.at(i, 0) -= cut;
    steps.at(size - 1, size - 1 - i) -= cut;
  }
  steps.at(size - 1, 0) +=
      std::pow(std::max(2 * h - 1, 0.0), static_cast<double>(size)) * inverse_factorial[size];

  const ScaledMatrix powered = power(steps, n);
  double probability = powered.at(k - 1, k - 1);
  int64_t exponent = powered.exponent;
  for (int64_t i = 1; i <= n; ++i) {
    probability *= static_cast<double>(i) / static_cast<double>(n);
    const int shift = probability > 0 ? std::ilogb(probability) : 0;
    probability = std::ldexp(probability, -shift);
    exponent += shift;
  }
  return std::ldexp(probability, static_cast<int>(std::clamp<int64_t>(exponent, -5000, 5000)));
}

// P(D < d) for large n: the asymptotic series in 1/sqrt(n) of Pelz and Good (1976), to its fourth
// term. Each term is a theta series in u = pi^2 (j + 1/2)^2 or pi^2 j^2, decaying as exp(-u/2z^2).
double pelz_good_cdf(int64_t n, double distance) {
  const double root_n = std::sqrt(static_cast<double>(n));
  const double z = root_n * distance;
  const double z2 = z * z;
  const double z4 = z2 * z2;
  const double z6 = z4 * z2;
  const double z8 = z4 * z4;

  std::array<double, 4> term{};
  const int last = static_cast<int>(std::ceil(16 * z / pi)) + 1;  // the rest is below 1e-50
  for (int j = last; j >= 0; --j) {
    const double u = pi * pi * (j + 0.5) * (j + 0.5);
    const double weight = std::exp(-u / (2 * z2));
    term[0] += weight;
    term[1] += weight * (u - z2);
    term[2] += weight * (6 * z6 + 2 * z4 + u * (2 * z4 - 5 * z2) + u * u * (1 - 2 * z2));
    term[3] += weight * (-30 * z6 - 90 * z8 + u * (135 * z4 - 96 * z6) +
                         u * u * (212 * z4 - 60 * z2) + u * u * u * (5 - 30 * z2));
  }
  double second = 0;
  double third = 0;
  for (int j = last; j >= 1; --j) {
    const double u = pi * pi * j * j;
    const double weight = std::exp(-u / (2 * z2));
    second += weight * u;
    third += weight * u * (3 * z2 - u);
  }
  const double root_two_pi = std::sqrt(2 * pi);  // sums run over both signs of j: 2 sqrt(pi / 2)
  const double k0 = root_two_pi / z * term[0];
  const double k1 = root_two_pi / (6 * z4) * term[1];
  const double k2 = root_two_pi * (term[2] / (72 * z6 * z) - second / (36 * z2 * z));
  const double k3 = root_two_pi * (term[3] / (6480 * z8 * z2) + third / (216 * z6));
  const double size = static_cast<double>(n);
  return k0 + k1 / root_n + k2 / size + k3 / (size * root_n);
}

}  // namespace

double smirnov_survival(int64_t n, double distance) {
  if (distance <= 0) return 1;
  if (distance >= 1) return 0;
  const double size = static_cast<double>(n);
  // d * sum over j of C(n,j) p^(j-1) (1-p)^(n-j) with p = d + j/n: each term is a binomial
  // probability over p, which Boost evaluates without leaving the range of double.
  double sum = 0;
  for (int64_t j = 0; j <= n; ++j) {
    const double index = static_cast<double>(j);
    const double p = distance + index / size;
    if (p >= 1) break;
    const double binomial =
        boost::math::ibeta_derivative(index + 1, size - index + 1, p) / (size + 1);
    sum += binomial / p;
  }
  return std::clamp(distance * sum, 0.0, 1.0);
}

double kolmogorov_survival(int64_t n, double distance) {
  const double size = static_cast<double>(n);
  const double nd = size * distance;
  if (nd <= 0.5) return 1;
  if (distance >= 1) return 0;
  if (nd <= 1) {  // Ruben and Gambino: every value within 1/n of its own place
    return -std::expm1(boost::math::lgamma(size + 1) + size * std::log((2 * nd - 1) / size));
  }
  if (nd >= size - 1) return 2 * std::pow(1 - distance, size);

  const double nd2 = nd * distance;
  const auto doubled = [&] { return std::min(1.0, 2 * smirnov_survival(n, distance)); };
  if (distance >= 0.5) return doubled();  // both sides cannot happen together: exact
  double cdf = 0;
  if (n <= max_small_n) {
    if (nd2 > max_exact_small) return doubled();
    cdf = durbin_cdf(n, distance);
  } else {
    if (nd2 >= zero_from) return 0;
    if (nd2 >= min_doubling_large) return doubled();
    const bool narrow = n <= max_matrix_n && size * std::pow(distance, 1.5) <= max_matrix_region;
    cdf = narrow ? durbin_cdf(n, distance) : pelz_good_cdf(n, distance);
  }
  return std::clamp(1 - cdf, 0.0, 1.0);
}

}  // namespace auscult::stats
