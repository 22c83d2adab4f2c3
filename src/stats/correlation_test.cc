#include "stats/correlation.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/testing.h"

namespace auscult::stats {
namespace {

TEST(Correlation, agrees_with_scipy_on_random_tied_and_tiny_input) {
  for (const Json& c : golden_cases("correlation.json")) {
    const auto x = numbers(c["x"]);
    const auto y = numbers(c["y"]);
    const auto r = pearson(x, y);
    const auto rho = spearman(x, y);
    ASSERT_TRUE(r && rho);
    const auto scipy_r = numbers(c["pearson"]);
    const auto scipy_rho = numbers(c["spearman"]);
    EXPECT_TRUE(agrees(r->coefficient, scipy_r[0])) << r->coefficient << " " << c.dump();
    EXPECT_TRUE(agrees(r->p_value, scipy_r[1])) << r->p_value << " " << c.dump();
    EXPECT_TRUE(agrees(rho->coefficient, scipy_rho[0])) << rho->coefficient << " " << c.dump();
    EXPECT_TRUE(agrees(rho->p_value, scipy_rho[1])) << rho->p_value << " " << c.dump();
  }
}

// r = 3 / sqrt(2 * 14/3): deviations (-1, 0, 1) and (-4/3, -1/3, 5/3).
TEST(Correlation, a_case_by_hand) {
  const auto r = pearson(std::array{1.0, 2.0, 3.0}, std::array{1.0, 2.0, 4.0});

  ASSERT_TRUE(r);
  EXPECT_NEAR(r->coefficient, 3 / std::sqrt(2 * 14.0 / 3), 1e-15);
}

TEST(Correlation, ranks_see_any_rising_curve) {
  const auto rho =
      spearman(std::array{1.0, 2.0, 3.0, 4.0, 5.0}, std::array{-10.0, 0.1, 0.2, 1000.0, 1e300});

  ASSERT_TRUE(rho);
  EXPECT_NEAR(rho->coefficient, 1, 1e-15);
}

TEST(Correlation, the_largest_doubles_do_not_overflow) {
  const double large = std::numeric_limits<double>::max();

  const auto r = pearson(std::array{-large, 0.0, large}, std::array{large, 0.0, -large});

  ASSERT_TRUE(r);
  EXPECT_NEAR(r->coefficient, -1, 1e-15);
}

TEST(Correlation, a_constant_side_has_no_coefficient) {
  for (const auto method : {pearson, spearman}) {
    const auto result = method(std::array{2.0, 2.0, 2.0}, std::array{1.0, 2.0, 3.0});
    ASSERT_TRUE(result);
    EXPECT_TRUE(std::isnan(result->coefficient));
    EXPECT_TRUE(std::isnan(result->p_value));
  }
}

TEST(Correlation, what_is_no_list_of_pairs_is_invalid_input) {
  for (const auto method : {pearson, spearman}) {
    EXPECT_FALSE(method(std::array{1.0, 2.0}, std::array{1.0}));
    EXPECT_FALSE(method(std::array{1.0}, std::array{1.0}));
    EXPECT_FALSE(method(std::array{1.0, std::nan("")}, std::array{1.0, 2.0}));
  }
}

}  // namespace
}  // namespace auscult::stats
