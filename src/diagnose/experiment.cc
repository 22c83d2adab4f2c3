#include "diagnose/experiment.h"

#include <algorithm>
#include <map>
#include <set>

#include "bench/benchmark.h"

namespace auscult::diagnose {

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

Result<Ok> prepare_parameters(Json& params, const std::string& node_id, store::Store& store,
                              const Clock& clock) {
  const std::string benchmark = params["benchmark"].string_or("");
  if (benchmark.empty() || params.has("params")) return Ok{};
  constexpr int64_t history_ns = int64_t{7} * 86'400 * ns_per_s;
  const int64_t now_ns = clock.now_ns();
  const auto results = TRY(store.read_results({.node_id = node_id,
                                               .benchmark = benchmark,
                                               .range = {now_ns - history_ns, now_ns + 1},
                                               .trusted_only = true}));
  std::map<model::Labels, std::set<std::string>> runs;  // parameters -> run ids
  for (const auto& result : results) runs[result.params].insert(result.run_id);
  const auto most = std::max_element(runs.begin(), runs.end(), [](const auto& a, const auto& b) {
    return a.second.size() < b.second.size();
  });
  if (most == runs.end()) {
    return Error{ErrorCode::not_found,
                 "no baseline of " + benchmark + " on " + node_id + " in the last 7 days"};
  }
  // A run also records what it found out by itself (which kernel the CPU allows): not for asking.
  const auto benchmarks = bench::all_benchmarks();
  const bench::Benchmark* known = find_named(benchmarks, benchmark);
  if (known == nullptr) {
    return Error{ErrorCode::not_found, "this build cannot run the benchmark " + benchmark};
  }
  Json object{Json::Object{}};
  for (const auto& [name, unused] : known->defaults) {
    const auto value = std::find_if(most->first.begin(), most->first.end(),
                                    [&](const auto& one) { return one.first == name; });
    if (value != most->first.end()) object.set(name, value->second);
  }
  params.set("params", std::move(object));
  return Ok{};
}

std::string describe_parameters(const Json& params) {
  const std::string benchmark = params["benchmark"].string_or("");
  return benchmark.empty() ? "" : " " + benchmark;
}

}  // namespace auscult::diagnose
