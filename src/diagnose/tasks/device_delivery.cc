// device_delivery: did the disk as a whole deliver what it can while our benchmark shared it?
//
// A disk that somebody else loads gives our benchmark little and still does its full work; a disk
// that is slow by itself does less than it can, whoever asks. A request costs the device 1 / IOPS +
// bytes / bandwidth of its time (latency plus transfer), both known from the baseline: the sum over
// all requests a second is the share of its capability that it delivered.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "diagnose/action_record.h"
#include "diagnose/task.h"
#include "stats/quantile.h"

namespace auscult::diagnose {
namespace {

constexpr size_t min_baseline_runs = 3;

// Medians of the node's trusted storage runs, by metric.
Result<std::map<std::string, double>> capability(const TaskParameters& parameters,
                                                 const TaskContext& context, int64_t end_ns) {
  constexpr int64_t history_ns = int64_t{7} * 86'400 * ns_per_s;
  const auto results = TRY(context.store.read_results({.node_id = parameters.at("node"),
                                                       .benchmark = "storage",
                                                       .range = {end_ns - history_ns, end_ns + 1},
                                                       .trusted_only = true}));
  std::map<std::string, std::vector<double>> values;
  for (const auto& result : results) values[result.metric].push_back(result.value);
  std::map<std::string, double> medians;
  for (const auto& [metric, list] : values) {
    if (list.size() >= min_baseline_runs) medians[metric] = TRY(stats::median(list));
  }
  return medians;
}

// The larger of the named metrics, 0 when none is known.
double best(const std::map<std::string, double>& medians,
            std::initializer_list<std::string_view> metrics) {
  double value = 0;
  for (const auto metric : metrics) {
    const auto found = medians.find(std::string(metric));
    if (found != medians.end()) value = std::max(value, found->second);
  }
  return value;
}

struct Capability {
  double read_iops, write_iops;  // 1/s
  double read_bytes_per_second, write_bytes_per_second;
};

// Delivered share of the capability over one stretch of device counters.
double delivered(const Json& counters, const Capability& can) {
  const double seconds = counters["seconds"].number_or(0);
  if (seconds <= 0) return NAN;
  const double busy_seconds = counters["reads"].number_or(0) / can.read_iops +
                              counters["writes"].number_or(0) / can.write_iops +
                              counters["read_bytes"].number_or(0) / can.read_bytes_per_second +
                              counters["write_bytes"].number_or(0) / can.write_bytes_per_second;
  return busy_seconds / seconds;
}

Result<Finding> run(const TaskParameters& parameters, const TaskContext& context) {
  const double min_share = TRY(number_parameter(parameters, "min_share"));
  const int64_t end_ns = TRY(parse_time(parameters.at("end")));
  const auto record =
      TRY(read_action(context.store, parameters.at("incident"), parameters.at("action")));
  Finding finding;
  finding.unit = "1";
  finding.source = {
      .kind = "action", .query = "targeted_benchmark " + parameters.at("action"), .file = {}};
  if (!record.result) {
    finding.statement = "what the disk delivered was not observed: " + record.why;
    return finding;
  }
  const auto medians = TRY(capability(parameters, context, end_ns));
  constexpr double mega = 1e6;
  Capability can{.read_iops = best(medians, {"read_iops"}),
                 .write_iops = best(medians, {"write_iops"}),
                 .read_bytes_per_second = best(medians, {"checkpoint_read", "dataset_read"}) * mega,
                 .write_bytes_per_second = best(medians, {"checkpoint_write"}) * mega};
  // Where one direction was never measured the other stands in for it, and the statement says so.
  const bool stand_in = can.read_bytes_per_second <= 0 || can.write_bytes_per_second <= 0;
  if (can.read_iops <= 0) can.read_iops = can.write_iops;
  if (can.write_iops <= 0) can.write_iops = can.read_iops;
  if (can.read_bytes_per_second <= 0) can.read_bytes_per_second = can.write_bytes_per_second;
  if (can.write_bytes_per_second <= 0) can.write_bytes_per_second = can.read_bytes_per_second;
  if (can.read_iops <= 0 || can.read_bytes_per_second <= 0) {
    finding.statement = "the disk has no storage baseline (both IOPS and bandwidth are needed)";
    return finding;
  }
  std::vector<double> shares;
  std::string device;
  for (const Json& counters : (*record.result)["device_counters"].array()) {
    const double share = delivered(counters, can);
    if (std::isfinite(share)) shares.push_back(share);
    device = counters["device"].string_or("");
  }
  if (shares.empty()) {
    finding.statement = "the disk's counters were not read during the benchmark";
    return finding;
  }
  finding.value = TRY(stats::median(shares));
  finding.baseline = 1.0;
  finding.answer = finding.value >= min_share ? Answer::found : Answer::clear;
  finding.detail = Json(Json::Object{{"device", device}});
  finding.statement = device + " as a whole delivered " + format_number(finding.value * 100, 3) +
                      "% of what it can by its baseline while our benchmark shared it" +
                      (stand_in ? " (bandwidth known in one direction only)" : "") +
                      (finding.answer == Answer::found ? ": the disk itself is not slow" : "");
  return finding;
}

}  // namespace

Task device_delivery() {
  return {.summary = "did the disk as a whole deliver what it can while our benchmark shared it?",
          .parameters = {{"incident", "incident id", "", true},
                         {"action", "id of the targeted_benchmark", "", true},
                         {"node", "node_id", "", true},
                         {"end", "as of when the baseline is taken, RFC 3339", "", true},
                         {"min_share", "share from which the disk is in order", "0.6"}},
          .run = run};
}

}  // namespace auscult::diagnose
