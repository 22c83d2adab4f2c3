#include "stats/correlation.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace auscult::stats {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

Result<Ok> check_pairs(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size()) {
    return Error{ErrorCode::invalid_input, "a correlation needs as many x as y"};
  }
  if (x.size() < 2) return Error{ErrorCode::invalid_input, "a correlation needs two pairs"};
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!std::all_of(x.begin(), x.end(), finite) || !std::all_of(y.begin(), y.end(), finite)) {
    return Error{ErrorCode::invalid_input, "a correlation needs finite values"};
  }
  return Ok{};
}

bool is_constant(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(),
                     [&](double value) { return value == values.front(); });
}

double sign(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

// The values less their mean. Divided by the largest beforehand, so that no square and no sum
// leaves the range of double; the coefficient does not see the factor.
std::vector<double> deviations(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  // A power of two, so that the division is exact.
  const double scale = std::ldexp(1.0, std::ilogb(largest));
  std::vector<double> result(values.begin(), values.end());
  for (double& value : result) value /= scale;
  const double mean =
      std::accumulate(result.begin(), result.end(), 0.0) / static_cast<double>(result.size());
  for (double& value : result) value -= mean;
  return result;
}

double norm(const std::vector<double>& values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

// Ranks from 1; equal values share the mean of their ranks.
std::vector<double> ranks(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double rank = static_cast<double>(begin + 1 + end) / 2;
    for (; begin < end; ++begin) result[order[begin]] = rank;
  }
  return result;
}

}  // namespace

Result<Correlation> pearson(std::span<const double> x, std::span<const double> y) {
  TRY(check_pairs(x, y));
  if (is_constant(x) || is_constant(y)) return Correlation{not_a_number, not_a_number};
  // Two points always lie on a line: that says nothing.
  if (x.size() == 2) return Correlation{sign(x[1] - x[0]) * sign(y[1] - y[0]), 1.0};

  const std::vector<double> dx = deviations(x);
  const std::vector<double> dy = deviations(y);
  const double norm_x = norm(dx);
  const double norm_y = norm(dy);
  double r = 0;
  for (size_t i = 0; i < dx.size(); ++i) r += (dx[i] / norm_x) * (dy[i] / norm_y);
  r = std::clamp(r, -1.0, 1.0);

  // Without dependence (r + 1) / 2 follows a beta distribution with both parameters n/2 - 1.
  const double shape = static_cast<double>(x.size()) / 2 - 1;
  const double p = 2 * boost::math::ibetac(shape, shape, (std::abs(r) + 1) / 2);
  return Correlation{r, std::min(p, 1.0)};
}

Result<Correlation> spearman(std::span<const double> x, std::span<const double> y) {
  TRY(check_pairs(x, y));
  if (is_constant(x) || is_constant(y)) return Correlation{not_a_number, not_a_number};

  const std::vector<double> dx = deviations(ranks(x));
  const std::vector<double> dy = deviations(ranks(y));
  // Sums of squares over n - 1, a root of each: at |rho| = 1 and three pairs the p-value magnifies
  // the last digit to 1e-8, so the rounding follows numpy's corrcoef.
  const double n_less_1 = static_cast<double>(x.size()) - 1;
  const auto over_n = [&](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0) / n_less_1;
  };
  const double rho =
      std::clamp(over_n(dx, dy) / std::sqrt(over_n(dx, dx)) / std::sqrt(over_n(dy, dy)), -1.0, 1.0);

  const double freedom = static_cast<double>(x.size()) - 2;
  if (freedom == 0) return Correlation{rho, not_a_number};
  const double room = (1 + rho) * (1 - rho);
  if (room <= 0) return Correlation{rho, 0.0};
  const double t = std::abs(rho) * std::sqrt(freedom / room);
  const boost::math::students_t distribution(freedom);
  return Correlation{rho, 2 * boost::math::cdf(boost::math::complement(distribution, t))};
}

}  // namespace auscult::stats
