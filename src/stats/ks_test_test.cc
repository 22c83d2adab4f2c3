#include "stats/ks_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/testing.h"

namespace auscult::stats {
namespace {

struct Named {
  const char* name;
  Alternative alternative;
};
constexpr Named alternatives[] = {{"two-sided", Alternative::two_sided},
                                  {"less", Alternative::less},
                                  {"greater", Alternative::greater}};

void expect_scipy(const std::vector<double>& first, const std::vector<double>& second,
                  const Json& expected, const std::string& what) {
  for (const auto& [name, alternative] : alternatives) {
    const auto result = ks_test(first, second, alternative);
    ASSERT_TRUE(result) << result.error().message;
    const auto theirs = numbers(expected[name]);
    ASSERT_EQ(theirs.size(), 2U) << what;
    EXPECT_NEAR(result->statistic, theirs[0], 1e-9) << what << " " << name;
    EXPECT_NEAR(result->p_value, theirs[1], 1e-9) << what << " " << name;
  }
}

TEST(KsTest, agrees_with_scipy_on_random_tied_and_tiny_samples) {
  size_t index = 0;
  for (const Json& c : golden_cases("ks_test.json")) {
    const auto first = numbers(c["first"]);
    const auto second = numbers(c["second"]);
    expect_scipy(first, second, c,
                 "case " + std::to_string(index++) + ", " + std::to_string(first.size()) + " vs " +
                     std::to_string(second.size()));
  }
}

TEST(KsTest, agrees_with_scipy_on_large_samples_exact_and_asymptotic) {
  for (const Json& c : golden_cases("ks_test_large.json")) {
    std::vector<double> first(static_cast<size_t>(c["first_size"].int_or(0)));
    std::vector<double> second(static_cast<size_t>(c["second_size"].int_or(0)));
    for (size_t i = 0; i < first.size(); ++i) first[i] = static_cast<double>(i);
    for (size_t i = 0; i < second.size(); ++i) {
      second[i] = number(c["start"]) + number(c["step"]) * static_cast<double>(i);
    }
    expect_scipy(first, second, c, c.dump());
  }
}

// 2 of the 20 orders of 3 + 3 values separate the sides completely, 1 of them this way round.
TEST(KsTest, full_separation_of_three_and_three_has_the_p_value_of_its_orders) {
  const std::array low{1.0, 2.0, 3.0};
  const std::array high{4.0, 5.0, 6.0};

  const auto two_sided = ks_test(low, high);
  const auto greater = ks_test(low, high, Alternative::greater);
  const auto less = ks_test(low, high, Alternative::less);

  ASSERT_TRUE(two_sided && greater && less);
  EXPECT_DOUBLE_EQ(two_sided->statistic, 1);
  EXPECT_NEAR(two_sided->p_value, 2.0 / 20, 1e-15);
  EXPECT_NEAR(greater->p_value, 1.0 / 20, 1e-15);
  EXPECT_DOUBLE_EQ(less->statistic, 0);
  EXPECT_DOUBLE_EQ(less->p_value, 1);
}

// C(48, 8) orders, one of which separates 40 from 8 with the 8 on top.
TEST(KsTest, a_tiny_one_sided_p_value_keeps_its_digits) {
  std::vector<double> low(40);
  std::vector<double> high(8, 1.0);

  const auto result = ks_test(low, high, Alternative::greater);

  ASSERT_TRUE(result);
  EXPECT_NEAR(result->p_value * 377348994.0, 1, 1e-9);
}

TEST(KsTest, swapping_the_sides_swaps_the_alternatives) {
  const std::array first{0.3, 1.5, 2.5, 2.5, 9.0};
  const std::array second{1.5, 2.0, 4.0};

  const auto greater = ks_test(first, second, Alternative::greater);
  const auto swapped = ks_test(second, first, Alternative::less);

  ASSERT_TRUE(greater && swapped);
  EXPECT_DOUBLE_EQ(greater->statistic, swapped->statistic);
  EXPECT_NEAR(greater->p_value, swapped->p_value, 1e-15);
}

TEST(KsTest, values_that_are_not_finite_are_left_out) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();

  const auto with = ks_test(std::array{1.0, nan, 2.0, infinity}, std::array{3.0, -infinity});
  const auto without = ks_test(std::array{1.0, 2.0}, std::array{3.0});

  ASSERT_TRUE(with && without);
  EXPECT_DOUBLE_EQ(with->statistic, without->statistic);
  EXPECT_DOUBLE_EQ(with->p_value, without->p_value);
}

TEST(KsTest, an_empty_side_is_invalid_input) {
  const auto result = ks_test(std::array{1.0}, std::vector<double>{std::nan("")});

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::invalid_input);
}

}  // namespace
}  // namespace auscult::stats
