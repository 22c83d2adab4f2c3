#include "baseline/metric_shift.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace auscult::baseline {
namespace {

using bench::Better;

const double missing = std::nan("");

std::vector<double> steps(double start, double step, size_t n) {
  std::vector<double> values(n);
  for (size_t i = 0; i < n; ++i) values[i] = start + step * static_cast<double>(i);
  return values;
}

std::vector<MetricDrift> judge(const std::vector<MetricSeries>& series,
                               const DriftOptions& options = {}) {
  std::vector<std::string> notes;
  return judge_metrics(series, options, notes);
}

// One of C(10, 3) = 120 relabellings separates so: p = 1/120.
TEST(MetricShift, a_clear_fall_of_what_should_be_high_is_drift) {
  const auto found = judge({{.metric = "iops",
                             .unit = "1/s",
                             .better = Better::higher,
                             .baseline = steps(100, 1, 7),
                             .fresh = {50, 51, 52}}});

  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].drifted);
  EXPECT_EQ(found[0].test, "permutation");
  EXPECT_DOUBLE_EQ(found[0].p_value, 1.0 / 120);
  EXPECT_DOUBLE_EQ(found[0].score, 1);
  EXPECT_DOUBLE_EQ(found[0].baseline, 103);
  EXPECT_DOUBLE_EQ(found[0].measured, 51);
  EXPECT_DOUBLE_EQ(found[0].change_ratio, 51.0 / 103 - 1);
}

TEST(MetricShift, faster_is_no_drift) {
  const auto found = judge({{.metric = "iops",
                             .better = Better::higher,
                             .baseline = steps(100, 1, 7),
                             .fresh = {150, 151, 152}},
                            {.metric = "p99",
                             .better = Better::lower,
                             .baseline = steps(100, 1, 7),
                             .fresh = {50, 51, 52}}});

  ASSERT_EQ(found.size(), 2U);
  for (const auto& one : found) {
    EXPECT_FALSE(one.drifted);
    EXPECT_DOUBLE_EQ(one.p_value, 1);
    EXPECT_DOUBLE_EQ(one.score, 0);
  }
}

TEST(MetricShift, a_rise_of_what_should_be_low_is_drift) {
  const auto found = judge({{.metric = "p99",
                             .better = Better::lower,
                             .baseline = steps(100, 1, 7),
                             .fresh = {150, 151, 152}}});

  EXPECT_TRUE(found.at(0).drifted);
}

TEST(MetricShift, a_certain_but_small_change_is_not_worth_a_word) {
  const std::vector<MetricSeries> series = {{.metric = "iops",
                                             .better = Better::higher,
                                             .baseline = steps(100, 0.1, 7),
                                             .fresh = {94, 94.1, 94.2}}};

  EXPECT_FALSE(judge(series).at(0).drifted);
  EXPECT_LE(judge(series).at(0).p_value, 0.01);
  EXPECT_TRUE(judge(series, {.min_effect = 0.05}).at(0).drifted);
}

// Every fresh run is worse than every other, p = 1/120, yet single runs swing by a factor of two:
// a median 32% lower is within three standard errors of such medians.
TEST(MetricShift, a_change_within_the_swing_of_single_runs_is_not_drift) {
  const auto found = judge({{.metric = "iops",
                             .better = Better::higher,
                             .baseline = {90, 105, 120, 133, 150, 170, 185},
                             .fresh = {85, 88, 89}}});

  EXPECT_LE(found.at(0).p_value, 0.01);
  EXPECT_LE(found.at(0).change_ratio, -0.3);
  EXPECT_FALSE(found.at(0).drifted);
}

// Latencies lean to the high side: around the median 101 half of all runs are within 1, but those
// above it stray by 49. Three runs at 202 are far out for the former, not for the latter.
TEST(MetricShift, the_spread_is_that_of_the_worse_side) {
  const auto found =
      judge({{.metric = "p99",
              .better = Better::lower,
              .baseline = {100, 100.2, 100.4, 100.6, 100.8, 101, 120, 140, 160, 180, 200},
              .fresh = {201, 202, 203}}});

  EXPECT_LE(found.at(0).p_value, 0.01);
  EXPECT_FALSE(found.at(0).drifted);
}

// 10 of the C(23, 3) = 1771 relabellings are as bad: the observed one, 6 with one of the two bad
// baseline runs, 3 with both. That is below alpha, not below a fifth of it.
TEST(MetricShift, where_many_runs_can_resolve_it_a_fifth_of_alpha_is_asked) {
  std::vector<double> baseline = steps(100, 0.1, 20);
  baseline[3] = baseline[11] = 40;
  const MetricSeries series{
      .metric = "iops", .better = Better::higher, .baseline = baseline, .fresh = {50, 51, 52}};

  EXPECT_DOUBLE_EQ(judge({series}).at(0).p_value, 10.0 / 1771);
  EXPECT_FALSE(judge({series}).at(0).drifted);
  EXPECT_TRUE(judge({series}, {.alpha = 0.03}).at(0).drifted);
}

TEST(MetricShift, many_runs_are_judged_by_ks_with_the_price_of_every_metric) {
  MetricSeries moved{.metric = "iops",
                     .better = Better::higher,
                     .baseline = steps(100, 0.1, 20),
                     .fresh = steps(50, 0.1, 8)};
  MetricSeries still{.metric = "p99",
                     .better = Better::lower,
                     .baseline = steps(100, 0.1, 20),
                     .fresh = steps(100.05, 0.2, 8)};

  const auto found = judge({still, moved});

  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].metric, "iops");
  EXPECT_EQ(found[0].test, "ks");
  EXPECT_TRUE(found[0].drifted);
  // C(28, 8) = 3,108,105 orders, one of them so; Holm: times two.
  EXPECT_NEAR(found[0].p_value * 3'108'105 / 2, 1, 1e-9);
  EXPECT_FALSE(found[1].drifted);

  MetricSeries few = moved;
  few.fresh.resize(7);
  EXPECT_EQ(judge({few}).at(0).test, "permutation");
}

TEST(MetricShift, a_metric_that_a_run_lacks_is_judged_on_the_runs_that_have_it) {
  MetricSeries whole{.metric = "iops",
                     .better = Better::higher,
                     .baseline = steps(100, 1, 12),
                     .fresh = {50, 51, 52}};
  MetricSeries holed{.metric = "p99",
                     .better = Better::lower,
                     .baseline = steps(100, 1, 12),
                     .fresh = {150, 151, 152}};
  holed.baseline[0] = missing;
  holed.baseline[1] = std::numeric_limits<double>::infinity();

  const auto found = judge({whole, holed});

  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].drifted);
  EXPECT_TRUE(found[1].drifted);
  for (const auto& one : found) {
    // Two sets of one metric: each p-value, 1 / C(15, 3) and 1 / C(13, 3), pays for both.
    EXPECT_DOUBLE_EQ(one.p_value, one.metric == "iops" ? 2.0 / 455 : 2.0 / 286);
  }
}

TEST(MetricShift, a_metric_in_too_few_runs_is_named_and_costs_the_others_nothing) {
  MetricSeries whole{.metric = "iops",
                     .better = Better::higher,
                     .baseline = steps(100, 1, 7),
                     .fresh = {50, 51, 52}};
  MetricSeries rare{.metric = "p99",
                    .better = Better::lower,
                    .baseline = {1, 2, missing, missing, missing, missing, missing},
                    .fresh = {missing, 9, 9}};
  MetricSeries never{.metric = "p999",
                     .better = Better::lower,
                     .baseline = std::vector<double>(7, missing),
                     .fresh = {9, 9, 9}};
  std::vector<std::string> notes;

  const auto found = judge_metrics({whole, rare, never}, {}, notes);

  ASSERT_EQ(found.size(), 1U);
  EXPECT_DOUBLE_EQ(found[0].p_value, 1.0 / 120);
  ASSERT_EQ(notes.size(), 2U);
  for (const auto& note : notes) EXPECT_EQ(note.substr(0, 3), "p99") << note;
}

TEST(MetricShift, a_change_from_zero_is_larger_than_any_share) {
  const auto found = judge({{.metric = "retransmits",
                             .better = Better::lower,
                             .baseline = std::vector<double>(7, 0.0),
                             .fresh = {40, 50, 60}},
                            {.metric = "drops",
                             .better = Better::lower,
                             .baseline = std::vector<double>(7, 0.0),
                             .fresh = {0, 0, 0}}});

  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].metric, "retransmits");
  EXPECT_TRUE(found[0].drifted);
  EXPECT_TRUE(std::isinf(found[0].change_ratio));
  EXPECT_FALSE(found[1].drifted);
  EXPECT_EQ(found[1].change_ratio, 0);
}

TEST(MetricShift, the_most_drifted_metric_comes_first) {
  const auto series = [](std::string name, double factor) {
    std::vector<double> fresh = {103 * factor, 104 * factor, 105 * factor};
    return MetricSeries{.metric = std::move(name),
                        .better = Better::lower,
                        .baseline = steps(100, 1, 12),
                        .fresh = std::move(fresh)};
  };

  const auto found = judge(
      {series("a_better", 0.5), series("b_same", 1), series("c_worse", 1.4), series("d_worst", 3)});

  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].metric, "d_worst");
  EXPECT_EQ(found[1].metric, "c_worse");
  EXPECT_FALSE(found[2].drifted);
}

TEST(MetricShift, the_runs_that_alpha_needs) {
  EXPECT_EQ(baseline_runs_needed(3, 0.01), 7U);   // C(10, 3) = 120, C(9, 3) = 84
  EXPECT_EQ(baseline_runs_needed(2, 0.01), 13U);  // C(15, 2) = 105
  EXPECT_EQ(baseline_runs_needed(1, 0.01), 99U);
  EXPECT_EQ(baseline_runs_needed(3, 0.05), 3U);
  EXPECT_EQ(baseline_runs_needed(0, 0.01), 0U);
  EXPECT_EQ(baseline_runs_needed(3, 0), 0U);
}

}  // namespace
}  // namespace auscult::baseline
