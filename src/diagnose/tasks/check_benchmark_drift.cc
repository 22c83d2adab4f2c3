// check_benchmark_drift: is a benchmark of the node worse than its own last days?
#include <algorithm>

#include "base/text.h"
#include "baseline/drift.h"
#include "bench/benchmark.h"
#include "diagnose/task.h"

namespace auscult::diagnose {
namespace {

constexpr size_t shown_metrics = 3;

Json top_metrics(const baseline::Drift& drift) {
  Json list{Json::Array{}};
  for (size_t i = 0; i < std::min(shown_metrics, drift.metrics.size()); ++i) {
    const auto& metric = drift.metrics[i];
    list.push(Json(Json::Object{{"metric", metric.metric},
                                {"score", metric.score},
                                {"change_ratio", metric.change_ratio},
                                {"drifted", metric.drifted}}));
  }
  return list;
}

std::string describe(const baseline::MetricDrift& metric) {
  return metric.metric + " " + format_number(metric.measured) + " " + metric.unit + ", baseline " +
         format_number(metric.baseline) + " (" + (metric.change_ratio > 0 ? "+" : "") +
         format_number(metric.change_ratio * 100, 3) + "%)";
}

// How much worse than its baseline, as a share of it; negative: better.
double worsening(const baseline::Drift& drift, const baseline::MetricDrift& metric) {
  const bench::Metric* known = bench::find_metric(drift.benchmark, metric.metric);
  const bool lower_is_better = known != nullptr && known->better == bench::Better::lower;
  return lower_is_better ? metric.change_ratio : -metric.change_ratio;
}

// A metric that is worse by enough to matter, whether or not the runs prove it.
const baseline::MetricDrift* suspicious(const baseline::Drift& drift, double min_effect) {
  for (const auto& metric : drift.metrics) {
    if (worsening(drift, metric) >= min_effect) return &metric;
  }
  return nullptr;
}

// Of several groups (device, parameters) the one with the worst answer.
const baseline::Drift* worst(const std::vector<baseline::Drift>& drifts) {
  const auto rank = [](const baseline::Drift& drift) {
    return std::pair{static_cast<int>(drift.verdict), drift.score};
  };
  const auto found =
      std::max_element(drifts.begin(), drifts.end(),
                       [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return found == drifts.end() ? nullptr : &*found;
}

Result<Finding> run(const TaskParameters& parameters, const TaskContext& context) {
  baseline::DriftOptions options;
  options.history =
      std::chrono::duration_cast<std::chrono::hours>(TRY(parse_duration(parameters.at("history"))));
  options.min_effect = TRY(number_parameter(parameters, "min_effect"));
  for (const auto run : split(parameters.at("runs"), ',')) {
    if (!trim(run).empty()) options.fresh_run_ids.insert(std::string(trim(run)));
  }
  const int64_t end_ns =
      parameters.at("end").empty() ? context.clock.now_ns() : TRY(parse_time(parameters.at("end")));
  const int64_t begin_ns =
      end_ns - std::chrono::duration_cast<std::chrono::nanoseconds>(options.history).count();
  const auto results = TRY(context.store.read_results({.node_id = parameters.at("node"),
                                                       .benchmark = parameters.at("benchmark"),
                                                       .range = {begin_ns, end_ns + 1},
                                                       .trusted_only = false}));
  const auto drifts = baseline::find_drift(results, options, end_ns);
  const baseline::Drift* drift = worst(drifts);
  Finding finding;
  finding.source = {.kind = "benchmark",
                    .query = parameters.at("benchmark") + " on " + parameters.at("node"),
                    .start_ns = begin_ns,
                    .end_ns = end_ns,
                    .file = {}};
  if (drift == nullptr || drift->metrics.empty() ||
      drift->verdict == baseline::Drift::Verdict::no_data ||
      drift->verdict == baseline::Drift::Verdict::no_baseline) {
    finding.statement = parameters.at("benchmark") + " has no baseline to compare with: " +
                        (drift == nullptr ? "no runs" : drift->message);
    return finding;
  }
  const bool found = drift->verdict == baseline::Drift::Verdict::found;
  const auto* unproved = found ? nullptr : suspicious(*drift, options.min_effect);
  const auto& top = unproved != nullptr ? *unproved : drift->metrics.front();
  if (unproved == nullptr) finding.answer = found ? Answer::found : Answer::clear;
  finding.value = top.measured;
  finding.unit = top.unit;
  finding.baseline = top.baseline;
  finding.statistic =
      Statistic{.name = "ks distance, p of " + top.test, .value = top.score, .p = top.p_value};
  finding.detail = Json(Json::Object{{"drift_score", drift->score},
                                     {"metric", top.metric},
                                     {"top_metrics", top_metrics(*drift)},
                                     {"baseline_runs", static_cast<int64_t>(drift->baseline_runs)},
                                     {"fresh_runs", static_cast<int64_t>(drift->fresh_runs)}});
  finding.statement =
      drift->benchmark + " on " + drift->device + ": " + describe(top) + ", " +
      std::to_string(drift->fresh_runs) + " runs against " + std::to_string(drift->baseline_runs) +
      (found                 ? ""
       : unproved != nullptr ? ": worse, but the baseline runs spread too much to tell"
                             : ": no drift for the worse");
  return finding;
}

}  // namespace

Task check_benchmark_drift() {
  return {.summary = "is a benchmark of the node worse than its own last days?",
          .parameters = {{"node", "node_id", "", true},
                         {"benchmark", "its name", "", true},
                         {"runs", "run ids to judge, by comma; empty: the newest", ""},
                         {"history", "how far the baseline reaches back", "7d"},
                         {"end", "as of when; empty: now", ""},
                         {"min_effect", "smallest share of the baseline that counts", "0.10"}},
          .run = run};
}

}  // namespace auscult::diagnose
