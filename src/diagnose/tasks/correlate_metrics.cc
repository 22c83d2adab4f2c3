// correlate_metrics: which signals of the node moved together around the alert? Pearson and
// Spearman.
#include <algorithm>
#include <cmath>
#include <map>

#include "alert/signal.h"
#include "base/text.h"
#include "diagnose/task.h"
#include "stats/correlation.h"

namespace auscult::diagnose {
namespace {

using Points = std::map<int64_t, double>;  // timestamp -> value

constexpr size_t min_pairs = 8;

// The points of a signal; of several devices the one asked for, else the one that moves the most.
Result<Points> read_points(const std::string& name, const TaskParameters& parameters,
                           store::TimeRange range, store::Store& store) {
  const alert::Signal* signal = alert::find_signal(name);
  if (signal == nullptr) {
    return Error{ErrorCode::invalid_input, "there is no signal '" + name + "'"};
  }
  const auto series = TRY(alert::read_signal(store, *signal, parameters.at("node"), range));
  Points chosen;
  double largest = -1;
  for (const auto& one : series) {
    double peak = 0;
    for (const auto& point : one.points) peak = std::max(peak, std::abs(point.value));
    const bool asked = one.device == parameters.at("device");
    if (!asked && peak <= largest) continue;
    largest = asked ? HUGE_VAL : peak;
    chosen.clear();
    for (const auto& point : one.points) chosen[point.timestamp_ns] = point.value;
  }
  return chosen;
}

struct Pair {
  std::vector<double> x;
  std::vector<double> y;
};

// Values at the timestamps that both have: one collection stamps all its samples alike.
Pair align(const Points& x, const Points& y) {
  Pair pair;
  for (const auto& [time, value] : x) {
    const auto other = y.find(time);
    if (other == y.end()) continue;
    pair.x.push_back(value);
    pair.y.push_back(other->second);
  }
  return pair;
}

struct Both {
  stats::Correlation pearson;
  stats::Correlation spearman;
};

Result<Both> correlate(const Pair& pair) {
  return Both{TRY(stats::pearson(pair.x, pair.y)), TRY(stats::spearman(pair.x, pair.y))};
}

// {"signals": [...], "pearson": [[...]], "spearman": [[...]]}; null where there is no coefficient.
Json matrix(const std::vector<std::string>& names, const std::vector<Points>& points) {
  Json signals{Json::Array{}};
  Json pearson{Json::Array{}};
  Json spearman{Json::Array{}};
  for (size_t i = 0; i < names.size(); ++i) {
    signals.push(names[i]);
    Json pearson_row{Json::Array{}};
    Json spearman_row{Json::Array{}};
    for (size_t j = 0; j < names.size(); ++j) {
      const Pair pair = align(points[i], points[j]);
      const auto both = pair.x.size() >= min_pairs ? correlate(pair)
                                                   : Result<Both>(Error{ErrorCode::not_found, ""});
      pearson_row.push(both ? Json(both->pearson.coefficient) : Json());
      spearman_row.push(both ? Json(both->spearman.coefficient) : Json());
    }
    pearson.push(std::move(pearson_row));
    spearman.push(std::move(spearman_row));
  }
  return Json(Json::Object{{"signals", std::move(signals)},
                           {"pearson", std::move(pearson)},
                           {"spearman", std::move(spearman)}});
}

// How much before the illness belongs to the window: as asked, or a minute, or twelve collections
// of a node that reports less often.
Result<int64_t> lead_ns(const TaskParameters& parameters, int64_t begin_ns, store::Store& store) {
  if (parameters.at("lead") != "auto") {
    return std::chrono::nanoseconds(TRY(parse_duration(parameters.at("lead")))).count();
  }
  constexpr int64_t look_ns = 600 * ns_per_s;
  constexpr int64_t collections = 12;
  const Points before =
      TRY(read_points(parameters.at("y"), parameters, {begin_ns - look_ns, begin_ns}, store));
  int64_t interval_ns = 0;
  if (before.size() > 1) {
    interval_ns =
        (before.rbegin()->first - before.begin()->first) / static_cast<int64_t>(before.size() - 1);
  }
  return std::max(60 * ns_per_s, collections * interval_ns);
}

Result<Finding> run(const TaskParameters& parameters, const TaskContext& context) {
  auto range = TRY(range_parameters(parameters, "start", "end"));
  // The time before the alert must be in, or there is no change for the two to share.
  range.begin_ns -= TRY(lead_ns(parameters, range.begin_ns, context.store));
  const double min_coefficient = TRY(number_parameter(parameters, "min_coefficient"));

  std::vector<std::string> names = {parameters.at("x"), parameters.at("y")};
  for (const auto name : split(parameters.at("signals"), ',')) {
    const std::string text(trim(name));
    if (!text.empty() && std::find(names.begin(), names.end(), text) == names.end()) {
      names.push_back(text);
    }
  }
  std::vector<Points> points;
  for (const auto& name : names) {
    points.push_back(TRY(read_points(name, parameters, range, context.store)));
  }
  Finding finding;
  finding.unit = "";  // a coefficient, not a share
  finding.source = {.kind = "promql",
                    .query = alert::promql_for(*alert::find_signal(names[0]), parameters.at("node"),
                                               parameters.at("device")) +
                             "  with  " +
                             alert::promql_for(*alert::find_signal(names[1]), parameters.at("node"),
                                               parameters.at("device")),
                    .start_ns = range.begin_ns,
                    .end_ns = range.end_ns,
                    .file = {}};
  const Pair pair = align(points[0], points[1]);
  finding.detail = Json(Json::Object{{"pairs", static_cast<int64_t>(pair.x.size())},
                                     {"matrix", matrix(names, points)}});
  const std::string what = names[0] + " and " + names[1];
  if (pair.x.size() < min_pairs) {
    finding.statement = what + " have " + std::to_string(pair.x.size()) +
                        " common points, 8 are needed to correlate them";
    return finding;
  }
  const Both both = TRY(correlate(pair));
  if (std::isnan(both.pearson.coefficient) || std::isnan(both.spearman.coefficient)) {
    finding.statement = what + ": one of them did not move";
    return finding;
  }
  finding.value = both.pearson.coefficient;
  // Without its p-value: points of one series are not independent.
  finding.statistic = Statistic{.name = "pearson", .value = both.pearson.coefficient};
  finding.detail.set("spearman", both.spearman.coefficient);
  const bool together = both.pearson.coefficient >= min_coefficient &&
                        both.spearman.coefficient >= min_coefficient / 2;
  finding.answer = together ? Answer::found : Answer::clear;
  finding.statement = what + (together ? " moved together" : " did not move together") +
                      ": Pearson r " + format_number(both.pearson.coefficient, 3) +
                      ", Spearman rho " + format_number(both.spearman.coefficient, 3) + " over " +
                      std::to_string(pair.x.size()) + " points";
  return finding;
}

}  // namespace

Task correlate_metrics() {
  return {.summary = "which signals of the node moved together around the alert?",
          .parameters = {{"node", "node_id", "", true},
                         {"x", "a signal", "", true},
                         {"y", "another", "", true},
                         {"signals", "further ones for the matrix, by comma", ""},
                         {"device", "of signals that have devices; empty: the busiest", ""},
                         {"start", "begin of the illness, RFC 3339", "", true},
                         {"end", "end of the window", "", true},
                         {"lead",
                          "how much before the begin belongs to the window; auto: a minute or 12 "
                          "collections",
                          "auto"},
                         {"min_coefficient", "Pearson's r from which they moved together", "0.6"}},
          .run = run};
}

}  // namespace auscult::diagnose
