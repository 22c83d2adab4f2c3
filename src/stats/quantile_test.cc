#include "stats/quantile.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/testing.h"

namespace auscult::stats {
namespace {

TEST(Quantile, agrees_with_numpy) {
  for (const Json& c : golden_cases("quantile.json")) {
    const auto values = numbers(c["values"]);
    const auto result = quantile(values, number(c["q"]));
    const auto sigma = mad_sigma(values);
    ASSERT_TRUE(result && sigma);
    EXPECT_NEAR(*result, number(c["quantile"]), 1e-12) << c.dump();
    EXPECT_NEAR(*sigma, number(c["mad_sigma"]), 1e-12) << c.dump();
  }
}

TEST(Quantile, nan_is_left_out) {
  const auto result = median(std::array{std::nan(""), 4.0, 1.0, std::nan(""), 2.0});

  ASSERT_TRUE(result);
  EXPECT_EQ(*result, 2.0);
}

TEST(Quantile, infinity_is_a_value_like_others) {
  const double infinity = std::numeric_limits<double>::infinity();

  const auto result = median(std::array{infinity, infinity, infinity, 1.0});

  ASSERT_TRUE(result);
  EXPECT_EQ(*result, infinity);
}

// Median 3, distances 2 1 0 1 997: the wild value does not move the spread.
TEST(Quantile, mad_sigma_ignores_a_wild_value) {
  const auto sigma = mad_sigma(std::array{1.0, 2.0, 3.0, 4.0, 1000.0});

  ASSERT_TRUE(sigma);
  EXPECT_DOUBLE_EQ(*sigma, 1.4826);
}

TEST(Quantile, nothing_or_a_wrong_share_is_invalid_input) {
  EXPECT_FALSE(median(std::vector<double>{}));
  EXPECT_FALSE(median(std::array{std::nan("")}));
  EXPECT_FALSE(mad_sigma(std::vector<double>{}));
  EXPECT_FALSE(quantile(std::array{1.0}, -0.1));
  EXPECT_FALSE(quantile(std::array{1.0}, 1.1));
  EXPECT_FALSE(quantile(std::array{1.0}, std::nan("")));
}

}  // namespace
}  // namespace auscult::stats
