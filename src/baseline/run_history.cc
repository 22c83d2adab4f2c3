#include "baseline/run_history.h"

#include <algorithm>
#include <tuple>

namespace auscult::baseline {

std::vector<RunHistory> run_histories(const model::BenchmarkResults& results) {
  using Key = std::tuple<std::string, std::string, std::string, model::Labels>;
  std::map<Key, std::map<std::string, BenchmarkRun>> found;  // key -> run_id -> run
  for (const model::BenchmarkResult& result : results) {
    model::Labels params = result.params;
    model::normalise(params);
    Key key{result.tags.node_id, result.benchmark, result.device, std::move(params)};
    BenchmarkRun& run = found[std::move(key)][result.run_id];
    run.run_id = result.run_id;
    run.timestamp_ns = std::max(run.timestamp_ns, result.timestamp_ns);
    run.trusted = run.trusted && result.preflight.passed;
    run.values[result.metric] = {.value = result.value, .unit = result.unit};
    for (const auto& [name, value] : result.provenance.cluster_version) {
      run.made_with[name] = value;
    }
    if (!result.provenance.git_commit.empty()) {
      run.made_with["auscult"] = result.provenance.git_commit;
    }
  }

  std::vector<RunHistory> histories;
  for (auto& [key, runs] : found) {
    RunHistory history;
    std::tie(history.node_id, history.benchmark, history.device, history.params) = key;
    for (auto& [run_id, run] : runs) history.runs.push_back(std::move(run));
    std::stable_sort(history.runs.begin(), history.runs.end(),
                     [](const BenchmarkRun& a, const BenchmarkRun& b) {
                       return a.timestamp_ns < b.timestamp_ns;
                     });
    histories.push_back(std::move(history));
  }
  return histories;
}

}  // namespace auscult::baseline
