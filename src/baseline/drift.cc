#include "baseline/drift.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>

#include "base/clock.h"
#include "base/text.h"
#include "baseline/metric_shift.h"
#include "baseline/run_history.h"

namespace auscult::baseline {
namespace {

using Verdict = Drift::Verdict;
using Runs = std::vector<const BenchmarkRun*>;

constexpr size_t shown_commit_digits = 12;

struct Sides {
  Runs baseline;  // trusted, all before the first fresh one
  Runs fresh;
  size_t untrusted = 0;        // left out
  size_t untrusted_fresh = 0;  // judged all the same
};

std::string count(size_t n, std::string_view singular) {
  return std::to_string(n) + " " + std::string(singular) + (n == 1 ? "" : "s");
}

std::string text(std::initializer_list<std::string_view> parts) {
  std::string whole;
  for (const std::string_view part : parts) whole += part;
  return whole;
}

Sides take_sides(const Runs& runs, const DriftOptions& options) {
  Sides sides;
  Runs trusted;
  for (const BenchmarkRun* run : runs) {
    if (options.fresh_run_ids.contains(run->run_id)) {
      sides.fresh.push_back(run);
      sides.untrusted_fresh += run->trusted ? 0 : 1;
    } else if (run->trusted) {
      trusted.push_back(run);
    } else {
      ++sides.untrusted;
    }
  }
  auto split = trusted.end();
  if (!options.fresh_run_ids.empty()) {
    const int64_t first_ns = sides.fresh.empty() ? std::numeric_limits<int64_t>::max()
                                                 : sides.fresh.front()->timestamp_ns;
    split = std::find_if(trusted.begin(), trusted.end(),
                         [&](const auto* run) { return run->timestamp_ns >= first_ns; });
  } else if (options.fresh_since_ns > 0) {
    split = std::find_if(trusted.begin(), trusted.end(), [&](const auto* run) {
      return run->timestamp_ns >= options.fresh_since_ns;
    });
    sides.fresh.assign(split, trusted.end());
  } else {
    split =
        trusted.end() - static_cast<std::ptrdiff_t>(std::min(options.fresh_runs, trusted.size()));
    sides.fresh.assign(split, trusted.end());
  }
  sides.baseline.assign(trusted.begin(), split);
  return sides;
}

// One series per metric with a direction. Values in another unit than the newest are left out.
std::vector<MetricSeries> series_of(const Sides& sides, const std::string& benchmark,
                                    const MetricLookup& find_metric,
                                    std::vector<std::string>& notes) {
  std::map<std::string, std::string> units;  // metric -> unit of the newest run that has it
  for (const Runs* runs : {&sides.baseline, &sides.fresh}) {
    for (const BenchmarkRun* run : *runs) {
      for (const auto& [metric, value] : run->values) units[metric] = value.unit;
    }
  }
  std::vector<MetricSeries> all;
  for (const auto& [metric, unit] : units) {
    const bench::Metric* known = find_metric(benchmark, metric);
    if (known == nullptr) {
      notes.push_back(metric + " is not in the catalogue: which way is better is not known");
      continue;
    }
    if (known->better == bench::Better::none) continue;
    size_t other_units = 0;
    const auto values = [&, &name = metric, &wanted = unit](const Runs& runs) {
      std::vector<double> list;
      for (const BenchmarkRun* run : runs) {
        const auto found = run->values.find(name);
        const bool present = found != run->values.end();
        const bool usable = present && found->second.unit == wanted;
        other_units += present && !usable ? 1 : 0;
        list.push_back(usable ? found->second.value : std::numeric_limits<double>::quiet_NaN());
      }
      return list;
    };
    MetricSeries series{.metric = metric, .unit = unit, .better = known->better};
    series.baseline = values(sides.baseline);
    series.fresh = values(sides.fresh);
    if (other_units > 0) {
      notes.push_back(
          text({metric, ": ", count(other_units, "run"), " not in ", unit, " left out"}));
    }
    all.push_back(std::move(series));
  }
  return all;
}

// Every value that the runs have for a name, oldest first, by comma.
std::string versions(const Runs& runs, const std::string& name) {
  std::vector<std::string> seen;
  for (const BenchmarkRun* run : runs) {
    const auto found = run->made_with.find(name);
    std::string value = found == run->made_with.end() ? "unknown" : found->second;
    if (name == "auscult") value.resize(std::min(value.size(), shown_commit_digits));
    if (std::find(seen.begin(), seen.end(), value) == seen.end()) seen.push_back(value);
  }
  std::string list;
  for (const std::string& value : seen) {
    if (!list.empty()) list += ", ";
    list += value;
  }
  return list;
}

void note_changes(const Sides& sides, std::vector<std::string>& notes) {
  std::set<std::string> names;
  for (const Runs* runs : {&sides.baseline, &sides.fresh}) {
    for (const BenchmarkRun* run : *runs) {
      for (const auto& [name, value] : run->made_with) names.insert(name);
    }
  }
  for (const std::string& name : names) {
    const std::string before = versions(sides.baseline, name);
    const std::string now = versions(sides.fresh, name);
    if (before != now) {
      notes.push_back(
          text({name, " changed from ", before, " to ", now, " between baseline and now"}));
    }
  }
}

std::string what_is_missing(const Drift& drift, double alpha) {
  const size_t needed = baseline_runs_needed(drift.fresh_runs, alpha);
  if (needed == 0) {
    return "no number of runs can reach a chance of " + format_number(alpha);
  }
  if (needed <= drift.baseline_runs) {
    return "no metric is in enough runs to be judged";
  }
  return count(needed - drift.baseline_runs, "run") + " more needed: " + std::to_string(needed) +
         " in the baseline beside " + count(drift.fresh_runs, "fresh run") + ", " +
         std::to_string(drift.baseline_runs) + " are there";
}

void judge(Drift& drift, const Runs& in_window, const DriftOptions& options,
           const MetricLookup& find_metric) {
  const Sides sides = take_sides(in_window, options);
  drift.baseline_runs = sides.baseline.size();
  drift.fresh_runs = sides.fresh.size();
  if (sides.untrusted > 0) {
    drift.notes.push_back(count(sides.untrusted, "run") + " that failed preflight left out");
  }
  if (sides.untrusted_fresh > 0) {
    drift.notes.push_back(count(sides.untrusted_fresh, "fresh run") +
                          " failed preflight and count all the same");
  }
  if (sides.fresh.empty()) {
    drift.message = options.fresh_since_ns > 0 && options.fresh_run_ids.empty()
                        ? "no trusted run since " + format_time(options.fresh_since_ns)
                        : "no trusted run in the history";
    if (!options.fresh_run_ids.empty()) drift.message = "none of the runs to judge is among them";
    return;
  }
  const auto series = series_of(sides, drift.benchmark, find_metric, drift.notes);
  if (series.empty()) {
    drift.message = "no metric of " + drift.benchmark + " has a better and a worse";
    return;
  }
  drift.metrics = judge_metrics(series, options, drift.notes);
  if (drift.metrics.empty()) {
    drift.verdict = Verdict::no_baseline;
    drift.message = what_is_missing(drift, options.alpha);
    return;
  }
  note_changes(sides, drift.notes);
  const bool found = drift.metrics.front().drifted;
  drift.verdict = found ? Verdict::found : Verdict::clear;
  for (const MetricDrift& metric : drift.metrics) {
    if (metric.drifted == found) drift.score = std::max(drift.score, metric.score);
  }
}

Json labels_json(const model::Labels& labels) {
  Json json{Json::Object{}};
  for (const auto& [name, value] : labels) json.set(name, value);
  return json;
}

Json to_json(const MetricDrift& metric) {
  return Json(Json::Object{{"metric", metric.metric},
                           {"unit", metric.unit},
                           {"score", metric.score},
                           {"baseline", metric.baseline},
                           {"measured", metric.measured},
                           {"change_ratio", metric.change_ratio},
                           {"p_value", metric.p_value},
                           {"test", metric.test},
                           {"drifted", metric.drifted}});
}

}  // namespace

std::vector<Drift> find_drift(const model::BenchmarkResults& results, const DriftOptions& options,
                              int64_t now_ns) {
  return find_drift(results, options, now_ns, bench::find_metric);
}

std::vector<Drift> find_drift(const model::BenchmarkResults& results, const DriftOptions& options,
                              int64_t now_ns, const MetricLookup& find_metric) {
  const int64_t begin_ns =
      now_ns - std::chrono::duration_cast<std::chrono::nanoseconds>(options.history).count();
  std::vector<Drift> drifts;
  for (const RunHistory& history : run_histories(results)) {
    Drift drift;
    drift.node_id = history.node_id;
    drift.benchmark = history.benchmark;
    drift.device = history.device;
    drift.params = history.params;
    Runs in_window;
    for (const BenchmarkRun& run : history.runs) {
      if (run.timestamp_ns >= begin_ns && run.timestamp_ns <= now_ns) in_window.push_back(&run);
    }
    judge(drift, in_window, options, find_metric);
    drifts.push_back(std::move(drift));
  }
  return drifts;
}

Json to_json(const Drift& drift) {
  Json metrics{Json::Array{}};
  for (const MetricDrift& metric : drift.metrics) metrics.push(to_json(metric));
  Json notes{Json::Array{}};
  for (const std::string& note : drift.notes) notes.push(note);
  return Json(Json::Object{{"verdict", to_text(drift.verdict)},
                           {"message", drift.message},
                           {"node_id", drift.node_id},
                           {"benchmark", drift.benchmark},
                           {"device", drift.device},
                           {"params", labels_json(drift.params)},
                           {"baseline_runs", static_cast<uint64_t>(drift.baseline_runs)},
                           {"fresh_runs", static_cast<uint64_t>(drift.fresh_runs)},
                           {"score", drift.score},
                           {"metrics", std::move(metrics)},
                           {"notes", std::move(notes)}});
}

std::string_view to_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::no_data:
      return "no_data";
    case Verdict::no_baseline:
      return "no_baseline";
    case Verdict::clear:
      return "clear";
    case Verdict::found:
      return "found";
  }
  return "no_data";
}

}  // namespace auscult::baseline
