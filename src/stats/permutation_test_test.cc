#include "stats/permutation_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace auscult::stats {
namespace {

using Runs = std::vector<std::vector<double>>;  // runs[metric][run]

PermutationResult test(const Runs& first, const Runs& second,
                       const PermutationOptions& options = {}) {
  auto result = permutation_test(first, second, options);
  if (!result) {
    ADD_FAILURE() << result.error().message;
    return {};
  }
  return *std::move(result);
}

// Of the 20 ways to label 3 + 3 distinct values, one puts the three largest into `second`.
TEST(PermutationTest, full_separation_of_three_and_three_is_one_of_twenty) {
  const auto result = test({{1, 2, 3}}, {{11, 12, 13}});

  EXPECT_DOUBLE_EQ(result.mean_shift[0], 10);
  EXPECT_DOUBLE_EQ(result.p_value[0], 1.0 / 20);
  EXPECT_DOUBLE_EQ(result.smallest_p, 1.0 / 20);
}

// Sums of two of {1, 2, 3, 5}: 3 4 6 5 7 8. The observed 2 + 5 is reached by 7 and 8.
TEST(PermutationTest, a_partial_shift_counts_the_labellings_that_reach_it) {
  const auto result = test({{1, 3}}, {{2, 5}});

  EXPECT_DOUBLE_EQ(result.mean_shift[0], 1.5);
  EXPECT_DOUBLE_EQ(result.p_value[0], 2.0 / 6);
}

TEST(PermutationTest, a_shift_to_the_smaller_is_no_evidence_for_the_larger) {
  const auto result = test({{11, 12, 13}}, {{1, 2, 3}});

  EXPECT_DOUBLE_EQ(result.mean_shift[0], -10);
  EXPECT_DOUBLE_EQ(result.p_value[0], 1);
}

// Metric 0 separates 2 from 1 run; metric 1 is its mirror image. Standardised, the third run scores
// (0, 0, 3) - 1 over sqrt(2): labelling run 3 gives (1.41, -1.41), runs 1 or 2 (-0.71, 0.71).
// Metric 0's 1.41 is reached by one of three labellings, metric 1's -1.41 by all.
TEST(PermutationTest, the_largest_of_all_metrics_is_what_each_is_compared_with) {
  const auto result = test({{0, 0}, {3, 3}}, {{3}, {0}});

  EXPECT_DOUBLE_EQ(result.p_value[0], 1.0 / 3);
  EXPECT_DOUBLE_EQ(result.p_value[1], 1);
}

// Ten runs, one fresh, ten metrics each of whose largest value sits in another run: any labelling
// is extreme for some metric, so a single extreme one proves nothing. Alone, it would be 1 of 10.
TEST(PermutationTest, the_p_value_pays_for_looking_at_many_metrics) {
  Runs first(10, std::vector<double>(9, 0.0));
  Runs second(10, std::vector<double>(1, 0.0));
  second[0][0] = 1;
  for (size_t metric = 1; metric < 10; ++metric) first[metric][metric - 1] = 1;

  EXPECT_DOUBLE_EQ(test({first[0]}, {second[0]}).p_value[0], 0.1);
  EXPECT_DOUBLE_EQ(test(first, second).p_value[0], 1);
}

TEST(PermutationTest, neither_unit_nor_offset_of_a_metric_matters) {
  const Runs first{{1, 2, 3, 4, 7}, {5, 1, 4, 2, 2}};
  const Runs second{{5, 8}, {3, 6}};
  Runs scaled_first = first;
  Runs scaled_second = second;
  for (auto* runs : {&scaled_first, &scaled_second}) {
    for (double& value : (*runs)[1]) value = value * 1e12 - 1e11;
  }

  const auto plain = test(first, second);
  const auto scaled = test(scaled_first, scaled_second);

  EXPECT_EQ(plain.p_value, scaled.p_value);
}

TEST(PermutationTest, a_constant_metric_never_shifts_and_hides_no_other) {
  const auto result = test({{7, 7, 7}, {1, 2, 3}}, {{7, 7, 7}, {11, 12, 13}});

  EXPECT_DOUBLE_EQ(result.p_value[0], 1);
  EXPECT_DOUBLE_EQ(result.p_value[1], 1.0 / 20);
}

// 0.1 added in another order differs in the last digit; equal labellings must still count as equal.
TEST(PermutationTest, rounding_does_not_break_ties) {
  const auto result = test({{0.1, 0.2, 0.3, 0.1, 0.2, 0.3}}, {{0.3, 0.2, 0.1}});

  // Integers have no rounding: the same case in tenths.
  EXPECT_EQ(result.p_value, test({{1, 2, 3, 1, 2, 3}}, {{3, 2, 1}}).p_value);
}

TEST(PermutationTest, too_many_labellings_are_drawn_and_agree_with_all_of_them) {
  const Runs first{{1, 4, 2, 6, 3, 5, 9}, {3, 3, 1, 2, 6, 4, 5}};
  const Runs second{{7, 6, 8, 4}, {4, 2, 7, 5}};

  const auto all = test(first, second);  // C(11, 4) = 330
  const auto drawn = test(first, second, {.max_exact = 100, .rounds = 40'000});

  for (size_t metric = 0; metric < 2; ++metric) {
    // Four standard errors of a share of 40,000 draws.
    EXPECT_NEAR(drawn.p_value[metric], all.p_value[metric], 0.01) << metric;
  }
  EXPECT_DOUBLE_EQ(drawn.smallest_p, 1.0 / 40'001);
}

TEST(PermutationTest, a_drawn_p_value_is_never_zero_and_repeats_with_its_seed) {
  std::vector<double> low(60);
  for (size_t i = 0; i < low.size(); ++i) low[i] = static_cast<double>(i);
  const std::vector<double> high{1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007};
  const PermutationOptions options{.rounds = 999, .seed = 7};

  const auto result = test({low}, {high}, options);
  const auto again = test({low}, {high}, options);

  EXPECT_DOUBLE_EQ(result.p_value[0], 1.0 / 1000);
  EXPECT_EQ(result.p_value, again.p_value);
}

TEST(PermutationTest, the_smallest_p_value_is_one_of_all_labellings) {
  EXPECT_DOUBLE_EQ(smallest_p(7, 3), 1.0 / 120);
  EXPECT_DOUBLE_EQ(smallest_p(3, 7), 1.0 / 120);
  EXPECT_DOUBLE_EQ(smallest_p(47, 3), 1.0 / 19'600);
  EXPECT_DOUBLE_EQ(smallest_p(48, 3), 1.0 / 10'001);  // 20,825 labellings: drawn
  EXPECT_EQ(relabellings(500, 500, 1000), 1000);
  EXPECT_EQ(relabellings(1'000'000'000, 1'000'000'000, 1000), 1000);
}

// The promise of the header: over all metrics, however they hang together and however wild their
// tails, the chance of any p-value at or below alpha is at most alpha.
TEST(PermutationTest, any_metric_is_called_by_chance_no_more_often_than_alpha) {
  constexpr int simulations = 2000;
  constexpr double alpha = 0.05;
  std::mt19937_64 random(11);
  std::student_t_distribution<double> wild(1.5);
  int called = 0;
  for (int simulation = 0; simulation < simulations; ++simulation) {
    Runs first(5);
    Runs second(5);
    for (int run = 0; run < 11; ++run) {
      const double shared = wild(random);
      for (size_t metric = 0; metric < 5; ++metric) {
        (run < 8 ? first : second)[metric].push_back(shared + wild(random));
      }
    }
    const auto result = test(first, second);
    called += *std::min_element(result.p_value.begin(), result.p_value.end()) <= alpha ? 1 : 0;
  }
  // 100 expected, standard deviation 9.7: four of them above.
  EXPECT_LE(called, 139);
  EXPECT_GE(called, 60) << "so conservative that it would find nothing";
}

TEST(PermutationTest, what_is_no_set_of_runs_is_invalid_input) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto fails = [](const Runs& first, const Runs& second) {
    const auto result = permutation_test(first, second);
    return !result && result.error().code == ErrorCode::invalid_input;
  };
  EXPECT_TRUE(fails({}, {}));
  EXPECT_TRUE(fails({{1, 2}}, {{3}, {4}}));
  EXPECT_TRUE(fails({{1, 2}, {1}}, {{3}, {4}}));
  EXPECT_TRUE(fails({{1, 2}}, {{}}));
  EXPECT_TRUE(fails({{1}}, {{2}}));
  EXPECT_TRUE(fails({{1, nan}}, {{2}}));
}

}  // namespace
}  // namespace auscult::stats
