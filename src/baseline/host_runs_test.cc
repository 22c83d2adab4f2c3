// Drift on real runs of a real host (testdata/host_runs.jsonl): how often is it called when nothing
// changed, how often is a real slowdown found?
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "baseline/drift.h"

namespace auscult::baseline {
namespace {

using Runs = std::vector<model::BenchmarkResults>;  // all results of one run each

constexpr int repeats = 200;

using HostRuns = std::map<std::string, Runs>;  // by benchmark

// The runs that passed preflight, or those that did not because others used the host. Busy runs
// swing far more than trusted ones: for the question of false alarms they are the harder case.
HostRuns host_runs(bool trusted) {
  const auto text = read_file("testdata/host_runs.jsonl");
  if (!text) {
    ADD_FAILURE() << text.error().message;
    return {};
  }
  std::map<std::string, std::map<std::string, model::BenchmarkResults>> by_id;
  for (const auto line : split(*text, '\n')) {
    if (trim(line).empty()) continue;
    const auto json = Json::parse(line);
    auto result = json ? model::benchmark_result_from_json(*json)
                       : Result<model::BenchmarkResult>(json.error());
    if (!result) {
      ADD_FAILURE() << result.error().message;
      return {};
    }
    if (result->preflight.passed != trusted) continue;
    result->preflight.passed = true;  // or find_drift would leave it out
    auto& run = by_id[result->benchmark][result->run_id];
    run.push_back(*std::move(result));
  }
  HostRuns runs;
  for (auto& [benchmark, ids] : by_id) {
    for (auto& [id, results] : ids) runs[benchmark].push_back(std::move(results));
  }
  EXPECT_EQ(runs.size(), 3U);
  return runs;
}

struct Plan {
  size_t baseline_runs;
  size_t fresh_runs;
  double slower = 1;  // factor on the cpu_compute and storage rates of the fresh runs
};

// Runs drawn without replacement, in a random order: whatever the host went through while it was
// recorded, nothing changes between baseline and fresh runs but what the plan says.
model::BenchmarkResults draw(const HostRuns& all, const Plan& plan, std::mt19937_64& random) {
  model::BenchmarkResults drawn;
  for (const auto& [benchmark, runs] : all) {
    std::vector<size_t> order(runs.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (size_t i = 0; i + 1 < order.size(); ++i) {
      std::swap(order[i], order[i + random() % (order.size() - i)]);
    }
    const size_t wanted = plan.baseline_runs + plan.fresh_runs;
    if (runs.size() < wanted) {
      ADD_FAILURE() << benchmark << " has only " << runs.size() << " recorded runs";
      return {};
    }
    for (size_t i = 0; i < wanted; ++i) {
      for (model::BenchmarkResult result : runs[order[i]]) {
        result.run_id = std::to_string(i);
        result.timestamp_ns = static_cast<int64_t>(i + 1) * ns_per_s;
        const bool slowed = result.metric == "gflops" || result.metric == "read_iops";
        if (i >= plan.baseline_runs && slowed) result.value /= plan.slower;
        drawn.push_back(std::move(result));
      }
    }
  }
  return drawn;
}

// In how many repeats drift is called, per benchmark, and on any of them ("").
std::map<std::string, int> count_found(const HostRuns& all, const Plan& plan) {
  std::map<std::string, int> found;
  std::mt19937_64 random(1);
  DriftOptions options;
  options.fresh_runs = plan.fresh_runs;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    bool any = false;
    for (const Drift& drift : find_drift(draw(all, plan, random), options, 3600 * ns_per_s)) {
      EXPECT_TRUE(drift.verdict == Drift::Verdict::found || drift.verdict == Drift::Verdict::clear)
          << drift.message;
      if (drift.verdict != Drift::Verdict::found) continue;
      ++found[drift.benchmark];
      any = true;
    }
    found[""] += any ? 1 : 0;
  }
  return found;
}

void expect_quiet(const HostRuns& all, const Plan& plan) {
  auto found = count_found(all, plan);
  EXPECT_LE(found[""], 2) << "of 200, " << plan.baseline_runs << " baseline runs, "
                          << plan.fresh_runs << " fresh";
}

TEST(HostRuns, nothing_changed_is_called_drift_at_most_twice_in_200_repeats) {
  const HostRuns trusted = host_runs(true);
  for (const Plan plan : {Plan{9, 3}, Plan{12, 3}, Plan{12, 5}}) expect_quiet(trusted, plan);
}

TEST(HostRuns, nothing_changed_on_a_busy_host_is_called_drift_at_most_twice_in_200_repeats) {
  const HostRuns busy = host_runs(false);
  for (const Plan plan : {Plan{9, 3}, Plan{20, 3}, Plan{42, 8}}) expect_quiet(busy, plan);
}

// Most trusted runs lie within 10% of one another, one in six is down by 40%: halving is found in
// two of three repeats (131), a fall by 30% hardly ever (7).
TEST(HostRuns, a_disk_at_a_third_of_its_rate_is_found_by_five_trusted_runs) {
  const HostRuns trusted = host_runs(true);
  for (const double slower : {1.3, 2.0}) {
    auto found = count_found(trusted, {12, 5, slower});
    RecordProperty("storage_found_at_" + std::to_string(slower), found["storage"]);
  }
  EXPECT_GE(count_found(trusted, {12, 5, 3.0})["storage"], 180) << "of 200";
}

TEST(HostRuns, cpus_at_a_third_of_their_rate_are_found_by_eight_busy_runs) {
  EXPECT_GE(count_found(host_runs(false), {42, 8, 3.0})["cpu_compute"], 180) << "of 200";
}

}  // namespace
}  // namespace auscult::baseline
