#include "diagnose/experiment.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "base/text.h"
#include "bench/benchmark.h"

namespace auscult::diagnose {

namespace {

// What an action needs beside its runs: preflight, files to prepare, a loaded machine.
constexpr double overhead_seconds = 10;

// A baseline of a benchmark: the parameters that can be asked for, and the runs made with them.
struct Baseline {
  model::Labels params;
  std::set<std::string> runs;
  double expected_seconds = 0;  // of one run

  size_t repeats_within(double seconds) const {
    if (expected_seconds <= 0) return std::numeric_limits<size_t>::max();
    return static_cast<size_t>(std::max(0.0, (seconds - overhead_seconds) / expected_seconds));
  }
};

Result<std::vector<Baseline>> find_baselines(const bench::Benchmark& benchmark,
                                             const std::string& name, const std::string& node_id,
                                             store::Store& store, const Clock& clock) {
  constexpr int64_t history_ns = int64_t{7} * 86'400 * ns_per_s;
  const int64_t now_ns = clock.now_ns();
  const auto results = TRY(store.read_results({.node_id = node_id,
                                               .benchmark = name,
                                               .range = {now_ns - history_ns, now_ns + 1},
                                               .trusted_only = true}));
  std::map<model::Labels, Baseline> found;
  for (const auto& result : results) {
    // A run also records what it found out by itself (which kernel the CPU allows): not for asking.
    model::Labels params = benchmark.defaults;
    for (auto& [key, value] : params) {
      const auto recorded = std::find_if(result.params.begin(), result.params.end(),
                                         [&](const auto& one) { return one.first == key; });
      if (recorded != result.params.end()) value = recorded->second;
    }
    Baseline& baseline = found[params];
    baseline.params = params;
    baseline.runs.insert(result.run_id);
    baseline.expected_seconds = benchmark.expected_seconds(params);
  }
  std::vector<Baseline> list;
  for (auto& [params, baseline] : found) list.push_back(std::move(baseline));
  return list;
}

}  // namespace

std::vector<PlannedExperiment> plan_experiments(const std::vector<Hypothesis>& hypotheses,
                                                const std::vector<Fault>& faults) {
  std::vector<PlannedExperiment> planned;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    const auto fault = std::find_if(faults.begin(), faults.end(), [&](const Fault& one) {
      return one.id == hypotheses[i].fault;
    });
    if (fault == faults.end()) continue;
    for (const auto& experiment : fault->experiments) {
      auto same = std::find_if(planned.begin(), planned.end(), [&](const auto& one) {
        return one.action == experiment.action && one.params == experiment.params;
      });
      if (same == planned.end()) {
        planned.push_back({.action = experiment.action,
                           .action_class = experiment.action_class,
                           .params = experiment.params,
                           .seconds = experiment.seconds,
                           .consumers = {}});
        same = planned.end() - 1;
      }
      same->seconds = std::max(same->seconds, experiment.seconds);
      same->consumers.emplace_back(i, &experiment);
    }
  }
  const auto worth = [](const PlannedExperiment& one) {
    return static_cast<double>(one.consumers.size()) / one.seconds;
  };
  std::stable_sort(planned.begin(), planned.end(),
                   [&](const auto& a, const auto& b) { return worth(a) > worth(b); });
  return planned;
}

Result<Ok> prepare_parameters(Json& params, double seconds, const std::string& node_id,
                              store::Store& store, const Clock& clock) {
  const std::string name = params["benchmark"].string_or("");
  if (name.empty() || params.has("params")) return Ok{};
  const auto benchmarks = bench::all_benchmarks();
  const bench::Benchmark* benchmark = find_named(benchmarks, name);
  if (benchmark == nullptr) {
    return Error{ErrorCode::not_found, "this build cannot run the benchmark " + name};
  }
  const auto repeats = static_cast<size_t>(std::max<int64_t>(1, params["repeats"].int_or(1)));
  const Baseline* best = nullptr;
  const auto baselines = TRY(find_baselines(*benchmark, name, node_id, store, clock));
  for (const auto& one : baselines) {
    const auto worth = [&](const Baseline& baseline) {
      return std::pair{std::min(repeats, baseline.repeats_within(seconds)), baseline.runs.size()};
    };
    if (best == nullptr || worth(one) > worth(*best)) best = &one;
  }
  if (best == nullptr) {
    return Error{ErrorCode::not_found,
                 "no baseline of " + name + " on " + node_id + " in the last 7 days"};
  }
  const size_t possible = std::min(repeats, best->repeats_within(seconds));
  if (possible == 0) {
    return Error{ErrorCode::not_found,
                 "one run of " + name + " as its baseline was measured takes longer than the " +
                     format_number(seconds) + " s of the experiment: measure a shorter baseline"};
  }
  Json object{Json::Object{}};
  for (const auto& [key, value] : best->params) object.set(key, value);
  params.set("repeats", static_cast<int64_t>(possible)).set("params", std::move(object));
  return Ok{};
}

std::string describe_parameters(const Json& params) {
  const std::string benchmark = params["benchmark"].string_or("");
  return benchmark.empty() ? "" : " " + benchmark;
}

}  // namespace auscult::diagnose
