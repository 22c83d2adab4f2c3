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

std::map<std::string, Runs> host_runs() {
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
    // The host was busy when it was recorded, and preflight said so. Busy runs swing far more than
    // trusted ones; for the question of false alarms that is the harder case, so they count here.
    result->preflight.passed = true;
    auto& run = by_id[result->benchmark][result->run_id];
    run.push_back(*std::move(result));
  }
  std::map<std::string, Runs> runs;
  for (auto& [benchmark, ids] : by_id) {
    for (auto& [id, results] : ids) runs[benchmark].push_back(std::move(results));
  }
  return runs;
}

struct Plan {
  size_t baseline_runs;
  size_t fresh_runs;
  double slower = 1;  // factor on the cpu_compute and storage rates of the fresh runs
};

// Runs drawn without replacement, in a random order: whatever the host went through while it was
// recorded, nothing changes between baseline and fresh runs but what the plan says.
model::BenchmarkResults draw(const std::map<std::string, Runs>& all, const Plan& plan,
                             std::mt19937_64& random) {
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
std::map<std::string, int> count_found(const std::map<std::string, Runs>& all, const Plan& plan) {
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

TEST(HostRuns, nothing_changed_is_called_drift_at_most_twice_in_200_repeats) {
  const auto all = host_runs();
  for (const Plan plan : {Plan{9, 3}, Plan{20, 3}, Plan{42, 8}}) {
    auto found = count_found(all, plan);
    RecordProperty("false_alarms_" + std::to_string(plan.baseline_runs), found[""]);
    EXPECT_LE(found[""], 2) << plan.baseline_runs << " baseline runs, " << plan.fresh_runs
                            << " fresh";
  }
}

// What can be seen through such noise: a fall to a third, with 8 runs to judge. A fall by 30% is
// within what busy runs do among themselves.
TEST(HostRuns, a_fall_to_a_third_is_found_among_busy_runs) {
  auto found = count_found(host_runs(), {42, 8, 3.0});
  RecordProperty("third_found_with_8_fresh_cpu_compute", found["cpu_compute"]);
  RecordProperty("third_found_with_8_fresh_storage", found["storage"]);
  EXPECT_GE(found["cpu_compute"], 180) << "of 200";
}

}  // namespace
}  // namespace auscult::baseline
