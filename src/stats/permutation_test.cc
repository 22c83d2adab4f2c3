#include "stats/permutation_test.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace auscult::stats {
namespace {

// Sums of the same values in another order differ in the last digits; a relabelling that is as
// extreme as the observed one must count. In units of a metric's standard deviation.
constexpr double tie_tolerance = 1e-9;

// scores[metric][run], the runs of `first` before those of `second`: every value less the metric's
// mean over all runs, over its standard deviation over all runs. Neither depends on the labels, so
// the sum of the scores of `second` orders relabellings as the mean shift does, and sums of
// different metrics can be compared. A constant metric scores 0 everywhere.
using Scores = std::vector<std::vector<double>>;

std::vector<double> standardised(std::vector<double> values) {
  // A power of two near the largest: neither sum nor square leaves the range of double.
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  if (largest > 0) {
    const int exponent = std::ilogb(largest);
    for (double& value : values) value = std::ldexp(value, -exponent);
  }
  const bool constant = std::all_of(values.begin(), values.end(),
                                    [&](double value) { return value == values.front(); });
  if (constant) return std::vector<double>(values.size(), 0.0);
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  for (double& value : values) value -= mean;
  const double sigma =
      std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0) / n);
  for (double& value : values) value /= sigma;
  return values;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Result<Ok> check(std::span<const std::vector<double>> first,
                 std::span<const std::vector<double>> second) {
  if (first.empty() || first.size() != second.size()) {
    return Error{ErrorCode::invalid_input, "a permutation test needs the same metrics twice"};
  }
  for (const auto side : {first, second}) {
    for (const std::vector<double>& values : side) {
      if (values.empty() || values.size() != side.front().size()) {
        return Error{ErrorCode::invalid_input,
                     "a permutation test needs the same runs for every metric, one at least"};
      }
      if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) {
        return Error{ErrorCode::invalid_input, "a permutation test needs finite values"};
      }
    }
  }
  if (first.front().size() + second.front().size() < 3) {
    return Error{ErrorCode::invalid_input, "a permutation test needs three runs in all"};
  }
  return Ok{};
}

// Counts, per metric, the relabellings whose largest score sum over all metrics reaches the
// metric's own observed sum.
class Tally {
 public:
  Tally(const Scores& scores, const std::vector<size_t>& observed)
      : scores_(scores), at_least_(scores.size(), 0) {
    for (const auto& metric : scores_) observed_.push_back(sum(metric, observed) - tie_tolerance);
  }

  void add(const std::vector<size_t>& second_runs) {
    double largest = -std::numeric_limits<double>::infinity();
    for (const auto& metric : scores_) largest = std::max(largest, sum(metric, second_runs));
    for (size_t metric = 0; metric < observed_.size(); ++metric) {
      if (largest >= observed_[metric]) ++at_least_[metric];
    }
  }

  const std::vector<int64_t>& at_least() const { return at_least_; }

 private:
  static double sum(const std::vector<double>& metric, const std::vector<size_t>& runs) {
    double total = 0;
    for (const size_t run : runs) total += metric[run];
    return total;
  }

  const Scores& scores_;
  std::vector<double> observed_;
  std::vector<int64_t> at_least_;
};

// The next choice of chosen.size() out of `n` runs in lexicographic order; false after the last.
bool next_choice(std::vector<size_t>& chosen, size_t n) {
  const size_t k = chosen.size();
  for (size_t i = k; i-- > 0;) {
    if (chosen[i] == n - k + i) continue;
    ++chosen[i];
    for (size_t j = i + 1; j < k; ++j) chosen[j] = chosen[j - 1] + 1;
    return true;
  }
  return false;
}

// A number below `bound`, each as likely. Not std::uniform_int_distribution, whose answer depends
// on the standard library: the same seed gives the same p-value everywhere.
size_t draw_below(std::mt19937_64& random, size_t bound) {
  const uint64_t limit =
      std::numeric_limits<uint64_t>::max() - std::numeric_limits<uint64_t>::max() % uint64_t{bound};
  uint64_t drawn = random();
  while (drawn >= limit) drawn = random();
  return static_cast<size_t>(drawn % bound);
}

}  // namespace

int64_t relabellings(size_t first_runs, size_t second_runs, int64_t at_most) {
  // C(n, k) grows as C(n - k + i, i) over i; each step divides without remainder.
  const size_t k = std::min(first_runs, second_runs);
  const size_t rest = std::max(first_runs, second_runs);
  int64_t count = 1;
  for (size_t i = 1; i <= k; ++i) {
    const auto factor = static_cast<int64_t>(rest + i);
    if (count > std::numeric_limits<int64_t>::max() / factor) return at_most;
    count = count * factor / static_cast<int64_t>(i);
    if (count >= at_most) return at_most;
  }
  return count;
}

double smallest_p(size_t first_runs, size_t second_runs, const PermutationOptions& options) {
  const int64_t count = relabellings(first_runs, second_runs, options.max_exact + 1);
  if (count <= options.max_exact) return 1.0 / static_cast<double>(count);
  return 1.0 / static_cast<double>(options.rounds + 1);
}

Result<PermutationResult> permutation_test(std::span<const std::vector<double>> first,
                                           std::span<const std::vector<double>> second,
                                           const PermutationOptions& options) {
  TRY(check(first, second));
  if (options.rounds < 1) {
    return Error{ErrorCode::invalid_input, "a permutation test needs one round at least"};
  }
  const size_t first_runs = first.front().size();
  const size_t second_runs = second.front().size();
  const size_t runs = first_runs + second_runs;
  PermutationResult result;
  Scores scores;
  for (size_t metric = 0; metric < first.size(); ++metric) {
    result.mean_shift.push_back(mean(second[metric]) - mean(first[metric]));
    std::vector<double> all = first[metric];
    all.insert(all.end(), second[metric].begin(), second[metric].end());
    scores.push_back(standardised(std::move(all)));
  }
  std::vector<size_t> observed(second_runs);
  std::iota(observed.begin(), observed.end(), first_runs);
  Tally tally(scores, observed);

  const int64_t all_choices = relabellings(first_runs, second_runs, options.max_exact + 1);
  int64_t counted = all_choices;
  if (all_choices <= options.max_exact) {
    std::vector<size_t> chosen(second_runs);
    std::iota(chosen.begin(), chosen.end(), size_t{0});
    do {
      tally.add(chosen);
    } while (next_choice(chosen, runs));
  } else {
    // The observed labelling is itself one of the permutations, so p is never 0.
    tally.add(observed);
    counted = options.rounds + 1;
    std::mt19937_64 random(options.seed);
    std::vector<size_t> order(runs);
    std::iota(order.begin(), order.end(), size_t{0});
    std::vector<size_t> chosen(second_runs);
    for (int64_t round = 0; round < options.rounds; ++round) {
      for (size_t i = 0; i < second_runs; ++i) {
        std::swap(order[i], order[i + draw_below(random, runs - i)]);
        chosen[i] = order[i];
      }
      tally.add(chosen);
    }
  }
  for (const int64_t at_least : tally.at_least()) {
    result.p_value.push_back(static_cast<double>(at_least) / static_cast<double>(counted));
  }
  result.smallest_p = smallest_p(first_runs, second_runs, options);
  return result;
}

}  // namespace auscult::stats
