#include "diagnose/engine.h"

#include <algorithm>
#include <map>
#include <set>

#include "alert/signal.h"
#include "base/text.h"
#include "diagnose/action_record.h"
#include "diagnose/experiment.h"
#include "diagnose/reason.h"
#include "stats/quantile.h"

namespace auscult::diagnose {
namespace {

using actions::ActionRequest;
using actions::ActionResult;

// The disk that a targeted benchmark watched, or empty.
std::string measured_disk(const Json& result) {
  for (const Json& counters : result["device_counters"].array()) {
    if (counters["device"].is_string()) return counters["device"].string_or("");
  }
  return {};
}

class Engine {
 public:
  Engine(const Illness& illness, store::Store& store, const Clock& clock,
         const EngineOptions& options)
      : illness_(illness), store_(store), clock_(clock), options_(options) {}

  Result<Diagnosis> run();

 private:
  Result<Ok> record(const char* kind, const std::string& actor, Json detail);
  Result<Ok> record_transitions();
  void progress(const std::string& message) const {
    if (options_.progress) options_.progress(message);
  }

  std::string worst_disk();
  int64_t newest_sample_ns();
  Result<Hypothesis> propose(const Fault& fault);
  Result<Evidence> ask(const Question& question, const TaskParameters& incident_parameters,
                       const std::string& action_id);
  TaskParameters incident_parameters() const;
  std::string rerun_command(const std::string& task, const TaskParameters& parameters) const;

  Result<Ok> experiment(const PlannedExperiment& planned);
  Result<ActionResult> perform(const ActionRequest& request);
  Result<std::vector<std::string>> store_benchmark_runs(const ActionResult& result);
  Result<Ok> weigh(const PlannedExperiment& planned, const ActionRequest& request,
                   const ActionResult& result);
  void name_culprits();

  const Illness& illness_;
  store::Store& store_;
  const Clock& clock_;
  const EngineOptions& options_;

  int64_t observed_until_ns_ = 0;
  std::string disk_;
  std::vector<Hypothesis> hypotheses_;
  std::map<std::string, std::string> evidence_ids_;  // task and parameters -> e7
  std::map<std::string, size_t> recorded_;           // fault -> transitions already stored
  std::set<std::string> missing_;
  int64_t next_action_ = 1;
};

Result<Ok> Engine::record(const char* kind, const std::string& actor, Json detail) {
  store::Batch batch;
  batch.events.push_back({.incident_id = illness_.incident_id,
                          .timestamp_ns = clock_.now_ns(),
                          .kind = kind,
                          .actor = actor,
                          .detail = std::move(detail)});
  return store_.write_and_wait(std::move(batch));
}

Result<Ok> Engine::record_transitions() {
  for (const auto& hypothesis : hypotheses_) {
    size_t& done = recorded_[hypothesis.fault];
    for (; done < hypothesis.transitions.size(); ++done) {
      const auto& transition = hypothesis.transitions[done];
      Json evidence{Json::Array{}};
      for (const auto& id : transition.evidence) evidence.push(id);
      TRY(record(event::hypothesis, "engine",
                 Json(Json::Object{{"fault", hypothesis.fault},
                                   {"from", to_text(transition.from)},
                                   {"to", to_text(transition.to)},
                                   {"evidence", std::move(evidence)},
                                   {"why", transition.why}})));
    }
  }
  return Ok{};
}

// The time up to which the node's samples are here. They arrive in order: what lies before the
// newest is complete, so that a rerun sees the same points.
int64_t Engine::newest_sample_ns() {
  const int64_t now_ns = clock_.now_ns();
  const auto memory = alert::read_signal(store_, *alert::find_signal("memory_available_bytes"),
                                         illness_.node_id, {illness_.started_at_ns, now_ns + 1});
  if (!memory || memory->empty() || memory->front().points.empty()) return now_ns;
  constexpr int64_t ms = 1'000'000;
  return memory->front().points.back().timestamp_ns / ms * ms + ms;
}

// The disk that the questions are about: the one that is busiest now.
std::string Engine::worst_disk() {
  const auto busy =
      alert::read_signal(store_, *alert::find_signal("disk_busy_ratio"), illness_.node_id,
                         {illness_.started_at_ns, observed_until_ns_ + 1});
  std::string worst;
  double worst_ratio = -1;
  if (!busy) return worst;
  for (const auto& disk : *busy) {
    std::vector<double> ratios;
    for (const auto& point : disk.points) ratios.push_back(point.value);
    const auto middle = stats::median(ratios);
    if (middle && *middle > worst_ratio) {
      worst_ratio = *middle;
      worst = disk.device;
    }
  }
  return worst;
}

TaskParameters Engine::incident_parameters() const {
  return {{"node", illness_.node_id},
          {"incident", illness_.incident_id},
          {"device", disk_},
          {"start", format_time(illness_.started_at_ns)},
          {"end", format_time(observed_until_ns_)},
          {"baseline_start", format_time(illness_.baseline.begin_ns)},
          {"baseline_end", format_time(illness_.baseline.end_ns)}};
}

std::string Engine::rerun_command(const std::string& task, const TaskParameters& parameters) const {
  std::string command = shell_quote(options_.program) + " diagnose --task " + task;
  if (!options_.data_folder.empty()) command += " --data " + shell_quote(options_.data_folder);
  for (const auto& [name, value] : parameters) {
    if (!value.empty()) command += " --param " + shell_quote(name + "=" + value);
  }
  return command;
}

Result<Evidence> Engine::ask(const Question& question, const TaskParameters& incident_parameters,
                             const std::string& action_id) {
  const auto tasks = all_tasks();
  const Task* task = find_named(tasks, question.task);
  TaskParameters parameters = question.parameters;
  for (const auto& declared : task->parameters) {
    const auto filled = incident_parameters.find(std::string(declared.name));
    if (filled != incident_parameters.end()) parameters.try_emplace(filled->first, filled->second);
  }
  Evidence evidence{.id = {},
                    .task = question.task,
                    .question = question.id,
                    .action = action_id,
                    .finding = TRY(run_task(question.task, parameters, {store_, clock_})),
                    .because = {},
                    .rerun = rerun_command(question.task, parameters)};
  // The same question to the same data is the same evidence, whoever asks.
  const std::string fresh_id = "e" + std::to_string(evidence_ids_.size() + 1);
  evidence.id = evidence_ids_.try_emplace(evidence.rerun, fresh_id).first->second;
  if (evidence.finding.answer == Answer::no_data) {
    missing_.insert(evidence.finding.statement);
    return evidence;
  }
  const bool found = evidence.finding.answer == Answer::found;
  const Weight& weight = found ? question.found : question.clear;
  const Weight& other = found ? question.clear : question.found;
  evidence.log_odds = weight.log_odds;
  evidence.decisive = weight.refutes;
  evidence.could_fail = other.log_odds < 0;
  evidence.provenance = weight.provenance;
  evidence.because = weight.because;
  return evidence;
}

Result<Hypothesis> Engine::propose(const Fault& fault) {
  Hypothesis hypothesis{.fault = fault.id,
                        .layer = fault.layer,
                        .title = fault.title,
                        .role = fault.role,
                        .prior_log_odds = fault.prior.log_odds,
                        .location = {.node_id = illness_.node_id,
                                     .device = fault.device == "disk" ? disk_ : fault.device,
                                     .rank = {},
                                     .job_id = {},
                                     .command = {}},
                        .evidence = {},
                        .actions = {},
                        .transitions = {},
                        .remediation = fault.remediation};
  for (const auto& question : fault.questions) {
    hypothesis.evidence.push_back(
        TRY(ask(question, incident_parameters(), ""), "fault " + fault.id));
  }
  return hypothesis;
}

Result<ActionResult> Engine::perform(const ActionRequest& request) {
  TRY(record(event::action_requested, "planner", to_json(request)));
  const int64_t begin_ns = clock_.now_ns();
  // Before it begins, with the longest it may take; afterwards with the true end.
  if (options_.disturbs) options_.disturbs(illness_.node_id, {begin_ns, request.expires_at_ns});
  auto answer = options_.channel(request);
  if (options_.disturbs) options_.disturbs(illness_.node_id, {begin_ns, clock_.now_ns()});
  ActionResult result;
  if (answer) {
    result = *std::move(answer);
  } else {
    result.status = "timed_out";
    result.message = answer.error().message;
    result.started_at_ns = begin_ns;
    result.finished_at_ns = clock_.now_ns();
  }
  result.id = request.id;
  TRY(record(event::action_result, "agent " + illness_.node_id, to_json(result)));
  return result;
}

// Keeps the runs of a targeted benchmark as results of the node: marked, so that a measurement on a
// sick node is never part of a baseline.
Result<std::vector<std::string>> Engine::store_benchmark_runs(const ActionResult& result) {
  std::set<std::string> runs;
  store::Batch batch;
  for (const Json& one : result.result["results"].array()) {
    auto parsed = model::benchmark_result_from_json(one);
    if (!parsed) continue;
    parsed->tags.node_id = illness_.node_id;
    parsed->preflight.passed = false;
    parsed->preflight.warnings.push_back("measured during incident " + illness_.incident_id);
    runs.insert(parsed->run_id);
    batch.results.push_back(*std::move(parsed));
  }
  if (!batch.results.empty()) TRY(store_.write_and_wait(std::move(batch)));
  return std::vector<std::string>(runs.begin(), runs.end());
}

Result<Ok> Engine::weigh(const PlannedExperiment& planned, const ActionRequest& request,
                         const ActionResult& result) {
  TaskParameters parameters = incident_parameters();
  parameters["action"] = request.id;
  const auto runs = TRY(store_benchmark_runs(result));
  std::string joined;
  for (const auto& run : runs) joined += (joined.empty() ? "" : ",") + run;
  parameters["runs"] = joined;
  parameters["end"] = format_time(clock_.now_ns());
  // A benchmark of another disk than the sick one says nothing about it, least of all that it is
  // well.
  const std::string measured = measured_disk(result.result);
  if (!measured.empty() && !disk_.empty() && measured != disk_ &&
      request.params["benchmark"].string_or("") == "storage") {
    missing_.insert("the storage experiment could only run on " + measured +
                    ", the trouble is on " + disk_ + ": allow a scratch folder there");
    return Ok{};
  }
  for (const auto& [hypothesis_index, experiment] : planned.consumers) {
    Hypothesis& hypothesis = hypotheses_[hypothesis_index];
    if (hypothesis.state == State::refuted) continue;
    for (const auto& question : experiment->questions) {
      if (joined.empty() && question.task == "check_benchmark_drift") {
        missing_.insert("the targeted benchmark gave no run: " + result.message);
        continue;
      }
      hypothesis.evidence.push_back(TRY(ask(question, parameters, request.id)));
    }
    refute_if_decided(hypothesis, clock_.now_ns());
  }
  return Ok{};
}

Result<Ok> Engine::experiment(const PlannedExperiment& planned) {
  ActionTaken taken{.id = illness_.incident_id + ".a" + std::to_string(next_action_++),
                    .action = planned.action,
                    .target = illness_.node_id,
                    .status = {},
                    .message = {},
                    .params = planned.params};
  const int64_t now_ns = clock_.now_ns();
  ActionRequest request{
      .id = taken.id,
      .action_class = planned.action_class,
      .action = planned.action,
      .target = illness_.node_id,
      .params = planned.params,
      .limits = {.seconds = planned.seconds},
      .issued_at_ns = now_ns,
      .expires_at_ns = now_ns + static_cast<int64_t>((planned.seconds + 30) * 1e9),
      .incident = illness_.incident_id};
  auto prepared =
      prepare_parameters(request.params, planned.seconds, illness_.node_id, store_, clock_);
  taken.params = request.params;
  if (!prepared || !options_.channel) {
    taken.status = "skipped";
    taken.message = prepared ? "no experiments are made here" : prepared.error().message;
    missing_.insert(planned.action + ": " + taken.message);
  } else {
    for (const auto& [index, tested] : planned.consumers) {
      if (hypotheses_[index].state == State::refuted) continue;
      move_to(hypotheses_[index], State::testing, now_ns, {},
              planned.action + " sees " + tested->sees);
    }
    TRY(record_transitions());
    progress("experiment " + planned.action + describe_parameters(request.params) + " on " +
             illness_.node_id);
    const ActionResult result = TRY(perform(request));
    taken.status = result.status;
    taken.message = result.message;
    taken.seconds = static_cast<double>(clock_.now_ns() - now_ns) / 1e9;
    TRY(weigh(planned, request, result));
  }
  for (const auto& [index, unused] : planned.consumers) {
    hypotheses_[index].actions.push_back(taken);
  }
  return record_transitions();
}

// Who did it, where the evidence for a supported hypothesis names a process.
void Engine::name_culprits() {
  for (auto& hypothesis : hypotheses_) {
    for (const auto& evidence : hypothesis.evidence) {
      const Json& detail = evidence.finding.detail;
      if (evidence.verdict() != "supports" || evidence.finding.answer != Answer::found ||
          !detail["pid"].is_integer()) {
        continue;
      }
      hypothesis.location.pid = detail["pid"].int_or(0);
      hypothesis.location.command = detail["command"].string_or("");
    }
  }
}

Result<Diagnosis> Engine::run() {
  observed_until_ns_ = newest_sample_ns();
  disk_ = worst_disk();
  for (const auto& fault : options_.faults) hypotheses_.push_back(TRY(propose(fault)));
  const Coverage seen = coverage(hypotheses_);
  rank_hypotheses(hypotheses_);
  if (hypotheses_.size() > top_hypotheses) hypotheses_.resize(top_hypotheses);
  for (const auto& hypothesis : hypotheses_) {
    progress("hypothesis " + hypothesis.fault + " (" +
             format_number(hypothesis.probability * 100, 2) + "%): " + hypothesis.title);
    TRY(record(event::hypothesis, "engine",
               Json(Json::Object{{"fault", hypothesis.fault},
                                 {"to", to_text(State::proposed)},
                                 {"probability", hypothesis.probability}})));
  }
  for (auto& hypothesis : hypotheses_) refute_if_decided(hypothesis, clock_.now_ns());
  TRY(record_transitions());
  for (const auto& planned : plan_experiments(hypotheses_, options_.faults)) {
    // Somebody only asked and nothing looks wrong: a healthy node is not disturbed.
    if (!illness_.alerted && !is_suspicious(hypotheses_)) break;
    const bool decided = std::all_of(
        planned.consumers.begin(), planned.consumers.end(),
        [&](const auto& consumer) { return hypotheses_[consumer.first].state == State::refuted; });
    if (!decided) TRY(experiment(planned));
  }
  conclude(hypotheses_, clock_.now_ns());
  Diagnosis diagnosis;
  diagnosis.unknown_probability = rank_hypotheses(hypotheses_);
  name_culprits();
  TRY(record_transitions());
  diagnosis.verdict = overall_verdict(hypotheses_, seen, illness_.alerted);
  diagnosis.incident_id = illness_.incident_id;
  diagnosis.trigger = illness_.trigger;
  diagnosis.trigger_name = illness_.trigger_name;
  diagnosis.started_at_ns = illness_.started_at_ns;
  diagnosis.opened_at_ns = illness_.opened_at_ns;
  diagnosis.concluded_at_ns = clock_.now_ns();
  diagnosis.nodes = {illness_.node_id};
  diagnosis.hypotheses = hypotheses_;
  diagnosis.missing.assign(missing_.begin(), missing_.end());
  TRY(record(event::verdict, "engine", to_json(diagnosis)));
  return diagnosis;
}

}  // namespace

Result<Diagnosis> diagnose(const Illness& illness, store::Store& store, const Clock& clock,
                           const EngineOptions& options) {
  return Engine(illness, store, clock, options).run();
}

}  // namespace auscult::diagnose
