#include "baseline/metric_shift.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "stats/ks_test.h"
#include "stats/permutation_test.h"
#include "stats/quantile.h"

namespace auscult::baseline {
namespace {

// A distribution function of fewer fresh runs has steps so coarse that KS wastes what they say.
constexpr size_t min_fresh_for_ks = 8;

// A node has several benchmarks and devices, each judged on its own. Where the runs can resolve it,
// a fifth of alpha is asked of each, so that the node as a whole keeps to about alpha; few runs can
// do no better than their smallest p-value.
constexpr double share_of_alpha = 0.2;

// The medians must also differ by this many standard errors of the baseline's own spread. p-values
// trust that runs are exchangeable; neighbouring runs are more alike than distant ones, and three
// fresh runs of a noisy hour must not read as an illness.
constexpr double min_standard_errors = 3;
constexpr double median_error = 1.2533;  // sqrt(pi / 2): error of a median over that of a mean

// A change from zero has no ratio; for the order of metrics anything beyond tenfold is equal.
constexpr double largest_ranked_effect = 10;

// Where relabellings are drawn: enough rounds that alpha is ten of them, within reason.
constexpr double rounds_below_alpha = 10;
constexpr int64_t most_rounds = 1'000'000;  // a tenth of a second for seven metrics

constexpr size_t most_baseline_runs = 10'000;  // what "run more" may ask for

std::vector<double> finite(const std::vector<double>& values) {
  std::vector<double> kept;
  std::copy_if(values.begin(), values.end(), std::back_inserter(kept),
               [](double value) { return std::isfinite(value); });
  return kept;
}

// The series with larger meaning worse.
std::vector<double> worse_is_larger(std::vector<double> values, bench::Better better) {
  if (better == bench::Better::higher) {
    for (double& value : values) value = -value;
  }
  return values;
}

stats::PermutationOptions permutation_options(double alpha) {
  stats::PermutationOptions options;
  if (alpha > 0) {
    const double rounds = std::min(rounds_below_alpha / alpha, static_cast<double>(most_rounds));
    options.rounds = std::max(options.rounds, static_cast<int64_t>(rounds));
  }
  return options;
}

struct Judged {
  const MetricSeries* series = nullptr;
  std::vector<double> baseline;  // finite, larger is worse
  std::vector<double> fresh;
  double bound = 0;  // the largest p-value that is drift
  MetricDrift drift;
};

double change_ratio(double measured, double baseline) {
  if (baseline != 0) return measured / baseline - 1;
  if (measured == 0) return 0;
  return std::copysign(std::numeric_limits<double>::infinity(), measured);
}

// How much worse, as a share of the baseline; negative where better.
double effect_of(const MetricDrift& drift, bench::Better better) {
  const double shift = better == bench::Better::higher ? drift.baseline - drift.measured
                                                       : drift.measured - drift.baseline;
  if (shift == 0) return 0;
  return shift / std::abs(drift.baseline);
}

Result<Judged> measure(const MetricSeries& series) {
  Judged judged{.series = &series,
                .baseline = worse_is_larger(finite(series.baseline), series.better),
                .fresh = worse_is_larger(finite(series.fresh), series.better)};
  MetricDrift& drift = judged.drift;
  drift.metric = series.metric;
  drift.unit = series.unit;
  drift.baseline = TRY(stats::median(finite(series.baseline)));
  drift.measured = TRY(stats::median(finite(series.fresh)));
  drift.change_ratio = change_ratio(drift.measured, drift.baseline);
  drift.score =
      TRY(stats::ks_test(judged.baseline, judged.fresh, stats::Alternative::greater)).statistic;
  return judged;
}

// The spread of single runs toward the worse: latencies lean far more to that side than to the
// other, which the deviation over both sides understates.
Result<double> spread_toward_worse(const std::vector<double>& values) {
  const double middle = TRY(stats::median(values));
  std::vector<double> mirrored;
  for (const double value : values) {
    if (value < middle) continue;
    mirrored.push_back(value);
    mirrored.push_back(2 * middle - value);
  }
  return std::max(TRY(stats::mad_sigma(values)), TRY(stats::mad_sigma(mirrored)));
}

// Beyond what the spread of single baseline runs lets two medians differ.
bool beyond_spread(const Judged& judged) {
  const auto sigma = spread_toward_worse(judged.baseline);
  const auto before = stats::median(judged.baseline);
  const auto now = stats::median(judged.fresh);
  if (!sigma || !before || !now) return false;
  const double error = median_error * *sigma *
                       std::sqrt(1 / static_cast<double>(judged.baseline.size()) +
                                 1 / static_cast<double>(judged.fresh.size()));
  return *now - *before >= min_standard_errors * error;
}

void note_too_few(const MetricSeries& series, std::vector<std::string>& notes) {
  notes.push_back(series.metric + ": only " + std::to_string(finite(series.baseline).size()) +
                  " baseline and " + std::to_string(finite(series.fresh).size()) +
                  " fresh runs have it, too few to judge");
}

// Metrics that the same runs have: they are relabelled together.
struct MetricSet {
  std::vector<const MetricSeries*> series;
  size_t baseline_runs = 0;
  size_t fresh_runs = 0;

  // What a p-value of this set pays for `metrics` metrics being looked at in all.
  double price(size_t metrics) const {
    return static_cast<double>(metrics) / static_cast<double>(series.size());
  }

  // The smallest p-value that the set can have once it has paid.
  double reachable(size_t metrics, double alpha) const {
    if (baseline_runs == 0 || fresh_runs == 0) return std::numeric_limits<double>::infinity();
    return stats::smallest_p(baseline_runs, fresh_runs, permutation_options(alpha)) *
           price(metrics);
  }
};

std::vector<MetricSet> sets_of(const std::vector<MetricSeries>& all_series) {
  std::map<std::vector<bool>, MetricSet> by_runs;
  for (const MetricSeries& series : all_series) {
    std::vector<bool> has;
    for (const auto* side : {&series.baseline, &series.fresh}) {
      for (const double value : *side) has.push_back(std::isfinite(value));
    }
    MetricSet& set = by_runs[has];
    set.series.push_back(&series);
    set.baseline_runs = finite(series.baseline).size();
    set.fresh_runs = finite(series.fresh).size();
  }
  std::vector<MetricSet> sets;
  sets.reserve(by_runs.size());
  for (auto& [has, set] : by_runs) sets.push_back(std::move(set));
  return sets;
}

// Leaves out the sets that cannot reach alpha, the poorest first: each that goes makes the price of
// many metrics smaller for the rest.
size_t keep_reachable(std::vector<MetricSet>& sets, double alpha, std::vector<std::string>& notes) {
  size_t metrics = 0;
  for (const MetricSet& set : sets) metrics += set.series.size();
  while (!sets.empty()) {
    const auto poorest =
        std::max_element(sets.begin(), sets.end(), [&](const MetricSet& a, const MetricSet& b) {
          return a.reachable(metrics, alpha) < b.reachable(metrics, alpha);
        });
    if (poorest->reachable(metrics, alpha) <= alpha) break;
    for (const MetricSeries* series : poorest->series) note_too_few(*series, notes);
    metrics -= poorest->series.size();
    sets.erase(poorest);
  }
  return metrics;
}

double bound_of(const MetricSet& set, size_t metrics, double alpha) {
  return std::max(share_of_alpha * alpha, set.reachable(metrics, alpha));
}

// Joint permutation inside each set, Bonferroni between the sets.
std::vector<Judged> by_permutation(const std::vector<MetricSet>& sets, size_t metrics,
                                   double alpha) {
  std::vector<Judged> all;
  for (const MetricSet& set : sets) {
    std::vector<Judged> judged;
    std::vector<std::vector<double>> baseline;
    std::vector<std::vector<double>> fresh;
    for (const MetricSeries* series : set.series) {
      auto measured = measure(*series);
      if (!measured) continue;  // cannot be: a set that reaches alpha has values on both sides
      baseline.push_back(measured->baseline);
      fresh.push_back(measured->fresh);
      judged.push_back(*std::move(measured));
    }
    const auto result = stats::permutation_test(baseline, fresh, permutation_options(alpha));
    if (!result) continue;
    for (size_t i = 0; i < judged.size(); ++i) {
      judged[i].drift.p_value = std::min(1.0, result->p_value[i] * set.price(metrics));
      judged[i].drift.test = "permutation";
      judged[i].bound = bound_of(set, metrics, alpha);
      all.push_back(std::move(judged[i]));
    }
  }
  return all;
}

// One KS test per metric, Holm's adjustment.
std::vector<Judged> by_ks(const std::vector<MetricSet>& sets, size_t metrics, double alpha) {
  std::vector<Judged> all;
  for (const MetricSet& set : sets) {
    for (const MetricSeries* series : set.series) {
      auto judged = measure(*series);
      if (!judged) continue;
      const auto ks = stats::ks_test(judged->baseline, judged->fresh, stats::Alternative::greater);
      if (!ks) continue;
      judged->drift.p_value = ks->p_value;
      judged->drift.test = "ks";
      judged->bound = bound_of(set, metrics, alpha);
      all.push_back(*std::move(judged));
    }
  }
  std::sort(all.begin(), all.end(),
            [](const Judged& a, const Judged& b) { return a.drift.p_value < b.drift.p_value; });
  double largest = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    largest = std::max(largest, all[i].drift.p_value * static_cast<double>(all.size() - i));
    all[i].drift.p_value = std::min(1.0, largest);
  }
  return all;
}

}  // namespace

size_t baseline_runs_needed(size_t fresh_runs, double alpha) {
  if (fresh_runs == 0) return 0;
  for (size_t runs = fresh_runs == 1 ? 2 : 1; runs <= most_baseline_runs; ++runs) {
    if (stats::smallest_p(runs, fresh_runs, permutation_options(alpha)) <= alpha) return runs;
  }
  return 0;
}

std::vector<MetricDrift> judge_metrics(const std::vector<MetricSeries>& all_series,
                                       const DriftOptions& options,
                                       std::vector<std::string>& notes) {
  if (all_series.empty()) return {};
  std::vector<MetricSet> sets = sets_of(all_series);
  const size_t metrics = keep_reachable(sets, options.alpha, notes);
  const bool many_runs = all_series.front().baseline.size() >= options.min_ks_runs &&
                         all_series.front().fresh.size() >= min_fresh_for_ks;
  std::vector<Judged> judged = many_runs ? by_ks(sets, metrics, options.alpha)
                                         : by_permutation(sets, metrics, options.alpha);

  struct Ranked {
    double rank;
    MetricDrift drift;
  };
  std::vector<Ranked> ranked;
  for (Judged& one : judged) {
    const double effect = effect_of(one.drift, one.series->better);
    one.drift.drifted = one.drift.p_value <= one.bound && effect > 0 &&
                        effect >= options.min_effect && beyond_spread(one);
    const double size = std::clamp(effect, 0.0, largest_ranked_effect);
    ranked.push_back({one.drift.score * size, std::move(one.drift)});
  }
  std::sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    if (a.drift.drifted != b.drift.drifted) return a.drift.drifted;
    if (a.rank != b.rank) return a.rank > b.rank;
    return a.drift.metric < b.drift.metric;
  });
  std::vector<MetricDrift> result;
  result.reserve(ranked.size());
  for (Ranked& one : ranked) result.push_back(std::move(one.drift));
  return result;
}

}  // namespace auscult::baseline
