#include "baseline/drift.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/clock.h"

namespace auscult::baseline {
namespace {

using Verdict = Drift::Verdict;

constexpr int64_t hour_ns = 3600 * ns_per_s;
constexpr int64_t now_ns = 1'000'000 * hour_ns;

constexpr std::array<bench::Metric, 3> catalogue = {
    {{.name = "iops", .unit = "1/s", .better = bench::Better::higher},
     {.name = "p99", .unit = "us", .better = bench::Better::lower},
     {.name = "load", .unit = "1", .better = bench::Better::none}}};

const bench::Metric* find_in_catalogue(std::string_view benchmark, std::string_view metric) {
  const auto found = std::find_if(catalogue.begin(), catalogue.end(),
                                  [&](const auto& known) { return known.name == metric; });
  return benchmark == "disk" && found != catalogue.end() ? &*found : nullptr;
}

model::BenchmarkResult result(const std::string& run_id, int64_t timestamp_ns,
                              const std::string& metric, double value) {
  model::BenchmarkResult one;
  one.run_id = run_id;
  one.timestamp_ns = timestamp_ns;
  one.benchmark = "disk";
  one.metric = metric;
  one.value = value;
  one.unit = metric == "iops" ? "1/s" : "us";
  one.device = "/data";
  one.tags.node_id = "n1";
  one.params = {{"bs", "4k"}};
  one.provenance.git_commit = "0123456789abcdef0123";
  one.provenance.cluster_version = {{"kernel", "6.1"}};
  return one;
}

// Runs of one metric, an hour apart, the last of them an hour before now.
model::BenchmarkResults runs(const std::vector<double>& values,
                             const std::string& metric = "iops") {
  model::BenchmarkResults results;
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t age = static_cast<int64_t>(values.size() - i);
    results.push_back(result("run" + std::to_string(i), now_ns - age * hour_ns, metric, values[i]));
  }
  return results;
}

// The cases below are written for three fresh runs.
const DriftOptions three_fresh = {.fresh_runs = 3};

Drift only(const model::BenchmarkResults& results, const DriftOptions& options = three_fresh) {
  const auto drifts = find_drift(results, options, now_ns, find_in_catalogue);
  EXPECT_EQ(drifts.size(), 1U);
  return drifts.empty() ? Drift{} : drifts.front();
}

bool any_note_has(const Drift& drift, std::string_view text) {
  return std::any_of(drift.notes.begin(), drift.notes.end(),
                     [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

const std::vector<double> healthy = {100, 101, 99, 102, 98, 100, 101, 100, 99, 101};
const std::vector<double> ill = {100, 101, 99, 102, 98, 100, 101, 50, 51, 52};

TEST(Drift, a_node_at_half_its_speed_is_found) {
  const Drift drift = only(runs(ill));

  EXPECT_EQ(drift.verdict, Verdict::found);
  EXPECT_EQ(drift.message, "");
  EXPECT_EQ(drift.node_id, "n1");
  EXPECT_EQ(drift.baseline_runs, 7U);
  EXPECT_EQ(drift.fresh_runs, 3U);
  EXPECT_EQ(drift.score, 1);
  ASSERT_EQ(drift.metrics.size(), 1U);
  EXPECT_EQ(drift.metrics[0].measured, 51);
  EXPECT_EQ(drift.metrics[0].unit, "1/s");
  EXPECT_TRUE(drift.notes.empty());
}

TEST(Drift, a_node_as_it_was_is_clear) {
  const Drift drift = only(runs(healthy));

  EXPECT_EQ(drift.verdict, Verdict::clear);
  EXPECT_LT(drift.score, 1);
}

TEST(Drift, too_few_runs_are_no_baseline_and_the_message_says_how_many_more) {
  const Drift drift = only(runs({100, 101, 99, 102, 50, 51, 52}));

  EXPECT_EQ(drift.verdict, Verdict::no_baseline);
  EXPECT_EQ(drift.message,
            "3 runs more needed: 7 in the baseline beside 3 fresh runs, 4 are there");
}

TEST(Drift, nothing_but_fresh_runs_is_no_baseline) {
  EXPECT_EQ(only(runs({100, 101})).verdict, Verdict::no_baseline);
}

TEST(Drift, no_results_are_no_entry) {
  EXPECT_TRUE(find_drift({}, {}, now_ns, find_in_catalogue).empty());
}

TEST(Drift, runs_beyond_the_history_or_in_the_future_do_not_count) {
  auto results = runs(ill);
  for (size_t i = 0; i < 5; ++i) results[i].timestamp_ns -= 8 * 24 * hour_ns;
  EXPECT_EQ(only(results).verdict, Verdict::no_baseline);
  EXPECT_EQ(only(results, {.history = std::chrono::hours(24 * 9), .fresh_runs = 3}).verdict,
            Verdict::found);

  for (auto& one : results) one.timestamp_ns = now_ns + hour_ns;
  const Drift drift = only(results);
  EXPECT_EQ(drift.verdict, Verdict::no_data);
  EXPECT_NE(drift.message, "");
}

TEST(Drift, untrusted_runs_are_left_out_and_counted) {
  auto results = runs(ill);
  results.push_back(result("bad1", now_ns - 1, "iops", 100));
  results.push_back(result("bad2", now_ns - 2, "iops", 100));
  for (auto& one : results) one.preflight.passed = one.run_id.substr(0, 3) != "bad";

  const Drift drift = only(results);

  EXPECT_EQ(drift.verdict, Verdict::found);
  EXPECT_EQ(drift.baseline_runs, 7U);
  EXPECT_TRUE(any_note_has(drift, "2 runs that failed preflight left out"));
}

TEST(Drift, nothing_but_untrusted_runs_is_no_data) {
  auto results = runs(ill);
  for (auto& one : results) one.preflight.passed = false;

  EXPECT_EQ(only(results).verdict, Verdict::no_data);
}

TEST(Drift, fresh_since_takes_every_run_from_then_on) {
  std::vector<double> values(12, 0.0);
  for (size_t i = 0; i < values.size(); ++i) values[i] = 100 + static_cast<double>(i % 3);
  for (const double value : {50, 51, 52, 53, 54}) values.push_back(value);
  DriftOptions options;
  options.fresh_since_ns = now_ns - 5 * hour_ns;

  const Drift drift = only(runs(values), options);

  EXPECT_EQ(drift.verdict, Verdict::found);
  EXPECT_EQ(drift.fresh_runs, 5U);
  EXPECT_EQ(drift.baseline_runs, 12U);

  options.fresh_since_ns = now_ns;
  EXPECT_EQ(only(runs(values), options).verdict, Verdict::no_data);
}

TEST(Drift, named_runs_are_judged_although_the_illness_made_them_fail_preflight) {
  auto results = runs(ill);
  for (size_t i = 7; i < 10; ++i) results[i].preflight.passed = false;
  results.push_back(result("later", now_ns - 1, "iops", 50));
  DriftOptions options;
  options.fresh_run_ids = {"run7", "run8", "run9"};

  const Drift drift = only(results, options);

  EXPECT_EQ(drift.verdict, Verdict::found);
  EXPECT_EQ(drift.fresh_runs, 3U);
  EXPECT_EQ(drift.baseline_runs, 7U) << "a later run is no baseline of an earlier one";
  EXPECT_TRUE(any_note_has(drift, "3 fresh runs failed preflight"));

  options.fresh_run_ids = {"elsewhere"};
  EXPECT_EQ(only(results, options).verdict, Verdict::no_data);
}

TEST(Drift, every_device_has_its_own_baseline) {
  auto results = runs(ill);
  for (auto one : runs(healthy)) {
    one.device = "/other";
    results.push_back(one);
  }

  const auto drifts = find_drift(results, three_fresh, now_ns, find_in_catalogue);

  ASSERT_EQ(drifts.size(), 2U);
  EXPECT_EQ(drifts[0].device, "/data");
  EXPECT_EQ(drifts[0].verdict, Verdict::found);
  EXPECT_EQ(drifts[1].verdict, Verdict::clear);
}

TEST(Drift, what_has_no_better_and_worse_is_never_called_fine) {
  const Drift drift = only(runs(ill, "load"));

  EXPECT_EQ(drift.verdict, Verdict::no_data);
  EXPECT_TRUE(drift.metrics.empty());
}

TEST(Drift, a_metric_that_the_catalogue_does_not_know_is_named) {
  auto results = runs(healthy);
  for (const auto& one : runs(ill, "sparkle")) results.push_back(one);

  const Drift drift = only(results);

  EXPECT_EQ(drift.verdict, Verdict::clear);
  EXPECT_EQ(drift.metrics.size(), 1U);
  EXPECT_TRUE(any_note_has(drift, "sparkle"));
}

TEST(Drift, values_in_another_unit_are_never_compared) {
  auto results = runs({0.1, 0.1, 100, 101, 99, 102, 98, 100, 101, 100, 99, 101}, "p99");
  for (size_t i = 0; i < 2; ++i) results[i].unit = "ms";

  const Drift drift = only(results);

  EXPECT_EQ(drift.verdict, Verdict::clear);
  EXPECT_EQ(drift.metrics.at(0).baseline, 100);
  EXPECT_TRUE(any_note_has(drift, "2 runs not in us"));
}

TEST(Drift, a_new_kernel_between_baseline_and_now_is_told) {
  auto results = runs(ill);
  for (size_t i = 7; i < 10; ++i) {
    results[i].provenance.cluster_version = {{"driver", "570.1"}, {"kernel", "6.18"}};
    results[i].provenance.git_commit = "fedcba98765432100123";
  }

  const Drift drift = only(results);

  EXPECT_EQ(drift.verdict, Verdict::found);
  EXPECT_TRUE(any_note_has(drift, "kernel changed from 6.1 to 6.18 between baseline and now"));
  EXPECT_TRUE(any_note_has(drift, "driver changed from unknown to 570.1"));
  EXPECT_TRUE(any_note_has(drift, "auscult changed from 0123456789ab to fedcba987654"));
}

TEST(Drift, json_holds_what_a_reader_needs_to_check_it) {
  auto results = runs(ill);
  results.push_back(result("bad", now_ns - 1, "iops", 100));
  results.back().preflight.passed = false;

  const Json json = to_json(only(results));

  EXPECT_EQ(json["verdict"].string_or(""), "found");
  EXPECT_EQ(json["node_id"].string_or(""), "n1");
  EXPECT_EQ(json["params"]["bs"].string_or(""), "4k");
  EXPECT_EQ(json["baseline_runs"].int_or(0), 7);
  EXPECT_EQ(json["notes"].array().size(), 1U);
  const Json& metric = json["metrics"].array().at(0);
  EXPECT_EQ(metric["metric"].string_or(""), "iops");
  EXPECT_EQ(metric["test"].string_or(""), "permutation");
  EXPECT_NEAR(metric["p_value"].number_or(0), 1.0 / 120, 1e-12);
  EXPECT_TRUE(metric["drifted"].bool_or(false));
}

TEST(Drift, the_catalogue_of_the_product_knows_the_direction_of_its_metrics) {
  auto results = runs(ill);
  for (auto& one : results) {
    one.benchmark = "storage";
    one.metric = "read_iops";
  }

  const auto drifts = find_drift(results, three_fresh, now_ns);

  ASSERT_EQ(drifts.size(), 1U);
  EXPECT_EQ(drifts[0].verdict, Verdict::found);
}

}  // namespace
}  // namespace auscult::baseline
