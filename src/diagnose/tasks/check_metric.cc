// check_metric: has a signal of the node left its own baseline, for the worse?
#include <algorithm>
#include <cmath>

#include "alert/signal.h"
#include "base/text.h"
#include "diagnose/task.h"
#include "stats/quantile.h"

namespace auscult::diagnose {
namespace {

using alert::Signal;
using alert::SignalSeries;

constexpr size_t min_points = 3;  // in the window
constexpr size_t min_baseline_points = 10;
constexpr double spreads = 4;  // beyond this many MAD sigmas

std::vector<double> values(const std::vector<SignalSeries>& series, const std::string& device) {
  std::vector<double> list;
  for (const auto& one : series) {
    if (one.device != device) continue;
    for (const auto& point : one.points) list.push_back(point.value);
  }
  return list;
}

// The device whose median is worst.
std::string worst_device(const Signal& signal, const std::vector<SignalSeries>& series) {
  std::string worst;
  double worst_value = 0;
  for (const auto& one : series) {
    const auto middle = stats::median(values(series, one.device));
    if (!middle) continue;
    const double badness = signal.higher_is_worse ? *middle : -*middle;
    if (worst.empty() || badness > worst_value) {
      worst = one.device;
      worst_value = badness;
    }
  }
  return worst;
}

// Ratios read as percentages, everything else with its unit.
std::string show(double value, std::string_view unit) {
  if (unit == "1") return format_number(value * 100, 3) + "%";
  if (unit == "By") return format_bytes(value);
  if (unit == "By/s") return format_bytes(value) + "/s";
  return format_number(value, 3) + " " + std::string(unit);
}

struct Judgement {
  bool beyond = false;
  bool undecided = false;  // worse by what counts, but the baseline itself varies as much
  std::optional<double> baseline;
  std::optional<Statistic> statistic;
};

Result<Judgement> judge(const Signal& signal, double value, const std::vector<double>& baseline,
                        const TaskParameters& parameters) {
  Judgement judgement;
  const double min_change = TRY(number_parameter(parameters, "min_change"));
  const double sign = signal.higher_is_worse ? 1 : -1;
  bool decided = false;
  judgement.beyond = true;
  if (!parameters.at("bound").empty()) {
    decided = true;
    judgement.beyond = sign * (value - TRY(number_parameter(parameters, "bound"))) >= 0;
  }
  if (parameters.at("against_baseline") != "false" && baseline.size() >= min_baseline_points) {
    decided = true;
    judgement.baseline = TRY(stats::median(baseline));
    const double change = sign * (value - *judgement.baseline);
    const bool worse = min_change > 0 && change >= min_change;
    const double distance = std::max(min_change, spreads * TRY(stats::mad_sigma(baseline)));
    judgement.undecided = judgement.beyond && worse && change < distance;
    judgement.beyond = judgement.beyond && change >= distance;
    // No p-value: points of one series are not independent, and would make anything significant.
    const double sigma = TRY(stats::mad_sigma(baseline));
    if (sigma > 0) judgement.statistic = Statistic{.name = "mad_sigmas", .value = change / sigma};
  }
  if (!decided) return Error{ErrorCode::not_found, "no baseline"};
  return judgement;
}

Result<Finding> run(const TaskParameters& parameters, const TaskContext& context) {
  const Signal* signal = alert::find_signal(parameters.at("signal"));
  if (signal == nullptr) {
    return Error{ErrorCode::invalid_input, "there is no signal '" + parameters.at("signal") + "'"};
  }
  const auto range = TRY(range_parameters(parameters, "start", "end"));
  const auto learned = TRY(range_parameters(parameters, "baseline_start", "baseline_end"));
  const std::string& node = parameters.at("node");
  const auto now = TRY(alert::read_signal(context.store, *signal, node, range));
  const auto before = TRY(alert::read_signal(context.store, *signal, node, learned));

  std::string device = parameters.at("device");
  if (device.empty() || signal->group.empty()) device = worst_device(*signal, now);
  const auto window = values(now, device);
  Finding finding;
  finding.unit = signal->unit;
  finding.source = {.kind = "promql",
                    .query = alert::promql_for(*signal, node, device),
                    .start_ns = range.begin_ns,
                    .end_ns = range.end_ns,
                    .file = {}};
  finding.detail = Json(Json::Object{{"signal", signal->name},
                                     {"device", device},
                                     {"points", static_cast<int64_t>(window.size())}});
  const std::string what = std::string(signal->title) + (device.empty() ? "" : " (" + device + ")");
  if (window.size() < min_points) {
    finding.statement = what + " was not observed on " + node;
    return finding;
  }
  finding.value = TRY(stats::median(window));
  auto judgement = judge(*signal, finding.value, values(before, device), parameters);
  if (!judgement && judgement.error().code == ErrorCode::not_found) {
    finding.statement = what + ": " + show(finding.value, finding.unit) +
                        ", but there is no baseline yet to compare with";
    return finding;
  }
  if (!judgement) return std::move(judgement).error();
  finding.answer = judgement->beyond      ? Answer::found
                   : judgement->undecided ? Answer::no_data
                                          : Answer::clear;
  finding.baseline = judgement->baseline;
  finding.statistic = judgement->statistic;
  finding.statement = what + ": " + show(finding.value, finding.unit);
  if (finding.baseline) finding.statement += ", baseline " + show(*finding.baseline, finding.unit);
  if (judgement->undecided) {
    finding.statement += ": worse, but the baseline itself varies as much";
  } else if (!judgement->beyond) {
    finding.statement += ": not beyond its baseline";
  }
  return finding;
}

}  // namespace

Task check_metric() {
  return {
      .summary = "has a signal of the node left its own baseline, for the worse?",
      .parameters = {{"node", "node_id", "", true},
                     {"signal", "a signal's name", "", true},
                     {"device", "empty: the worst one", ""},
                     {"start", "window begin, RFC 3339", "", true},
                     {"end", "window end", "", true},
                     {"baseline_start", "baseline begin", "", true},
                     {"baseline_end", "baseline end", "", true},
                     {"min_change", "smallest difference that counts, unit of the signal", "0"},
                     {"bound", "the value must also be beyond this", ""},
                     {"against_baseline",
                      "false: the bound alone decides, for a state that may be as old as the node",
                      "true"}},
      .run = run};
}

}  // namespace auscult::diagnose
