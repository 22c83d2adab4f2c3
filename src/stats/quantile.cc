#include "stats/quantile.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace auscult::stats {
namespace {

constexpr double normal_consistency = 1.4826;  // 1 / the third quartile of the standard normal

std::vector<double> without_nan(std::span<const double> values) {
  std::vector<double> kept;
  kept.reserve(values.size());
  std::copy_if(values.begin(), values.end(), std::back_inserter(kept),
               [](double value) { return !std::isnan(value); });
  return kept;
}

}  // namespace

Result<double> quantile(std::span<const double> values, double q) {
  if (!(q >= 0 && q <= 1)) {
    return Error{ErrorCode::invalid_input, "a quantile lies between 0 and 1"};
  }
  std::vector<double> kept = without_nan(values);
  if (kept.empty()) return Error{ErrorCode::invalid_input, "a quantile needs one value"};

  const double position = q * static_cast<double>(kept.size() - 1);
  const auto below_index = static_cast<size_t>(position);
  const double share = position - static_cast<double>(below_index);
  const auto below = kept.begin() + static_cast<std::ptrdiff_t>(below_index);
  std::nth_element(kept.begin(), below, kept.end());
  if (share == 0) return *below;
  const double above = *std::min_element(below + 1, kept.end());
  // Equal neighbours need no arithmetic, which would turn two infinities into NaN.
  if (above == *below) return above;
  return *below + (above - *below) * share;
}

Result<double> median(std::span<const double> values) { return quantile(values, 0.5); }

Result<double> mad_sigma(std::span<const double> values) {
  const double centre = TRY(median(values));
  std::vector<double> distances = without_nan(values);
  for (double& distance : distances) distance = std::abs(distance - centre);
  return normal_consistency * TRY(median(distances));
}

}  // namespace auscult::stats
