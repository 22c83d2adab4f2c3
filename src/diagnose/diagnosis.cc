#include "diagnose/diagnosis.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"

namespace auscult::diagnose {
namespace {

template <typename Enum>
Result<Enum> from_text(const Json& json, std::string_view member, std::initializer_list<Enum> all) {
  const std::string text = json[member].string_or("");
  for (const Enum value : all) {
    if (to_text(value) == text) return value;
  }
  return Error{ErrorCode::invalid_input,
               "diagnosis: '" + std::string(member) + "' cannot be '" + text + "'"};
}

Json to_json_list(const std::vector<std::string>& list) {
  Json json{Json::Array{}};
  for (const auto& item : list) json.push(item);
  return json;
}

std::vector<std::string> to_list(const Json& json) {
  std::vector<std::string> list;
  for (const Json& item : json.array()) list.push_back(item.string_or(""));
  return list;
}

Json time_or_null(int64_t time_ns) { return time_ns == 0 ? Json() : Json(format_time(time_ns)); }

int64_t time_or_zero(const Json& json) {
  const auto time = parse_time(json.string_or(""));
  return time ? *time : 0;
}

Json to_json(const Statistic& statistic) {
  return Json(
      Json::Object{{"name", statistic.name}, {"value", statistic.value}, {"p", statistic.p}});
}

Json to_json(const Source& source) {
  return Json(Json::Object{{"kind", source.kind},
                           {"query", source.query},
                           {"start", time_or_null(source.start_ns)},
                           {"end", time_or_null(source.end_ns)},
                           {"file", source.file.empty() ? Json() : Json(source.file)},
                           {"line", source.line == 0 ? Json() : Json(source.line)}});
}

Json to_json(const Evidence& evidence) {
  const Finding& finding = evidence.finding;
  Json json{Json::Object{}};
  json.set("id", evidence.id)
      .set("task", evidence.task)
      .set("question", evidence.question)
      .set("action", evidence.action.empty() ? Json() : Json(evidence.action))
      .set("answer", to_text(finding.answer))
      .set("statement", finding.statement)
      .set("value", finding.value)
      .set("unit", finding.unit)
      .set("baseline", finding.baseline ? Json(*finding.baseline) : Json())
      .set("statistic", finding.statistic ? to_json(*finding.statistic) : Json())
      .set("verdict", evidence.verdict())
      .set("decisive", evidence.decisive)
      .set("could_fail", evidence.could_fail)
      .set("log_odds", evidence.log_odds)
      .set("provenance", to_text(evidence.provenance))
      .set("because", evidence.because)
      .set("source", to_json(finding.source))
      .set("detail", finding.detail)
      .set("rerun", evidence.rerun);
  return json;
}

Result<Evidence> evidence_from_json(const Json& json) {
  Evidence evidence;
  evidence.id = json["id"].string_or("");
  evidence.task = json["task"].string_or("");
  evidence.question = json["question"].string_or("");
  evidence.action = json["action"].string_or("");
  Finding& finding = evidence.finding;
  finding.answer = TRY(from_text(json, "answer", {Answer::found, Answer::clear, Answer::no_data}));
  finding.statement = json["statement"].string_or("");
  finding.value = json["value"].number_or(NAN);
  finding.unit = json["unit"].string_or("");
  if (json["baseline"].is_number()) finding.baseline = json["baseline"].number_or(0);
  if (const Json& statistic = json["statistic"]; statistic.is_object()) {
    finding.statistic = Statistic{.name = statistic["name"].string_or(""),
                                  .value = statistic["value"].number_or(NAN),
                                  .p = statistic["p"].number_or(NAN)};
  }
  const Json& source = json["source"];
  finding.source = {.kind = source["kind"].string_or(""),
                    .query = source["query"].string_or(""),
                    .start_ns = time_or_zero(source["start"]),
                    .end_ns = time_or_zero(source["end"]),
                    .file = source["file"].string_or(""),
                    .line = source["line"].int_or(0)};
  finding.detail = json["detail"];
  evidence.log_odds = json["log_odds"].number_or(0);
  evidence.decisive = json["decisive"].bool_or(false);
  evidence.could_fail = json["could_fail"].bool_or(false);
  evidence.provenance = TRY(from_text(
      json, "provenance", {Provenance::measured, Provenance::published, Provenance::guess}));
  evidence.because = json["because"].string_or("");
  evidence.rerun = json["rerun"].string_or("");
  return evidence;
}

Json to_json(const ActionTaken& action) {
  return Json(Json::Object{{"id", action.id},
                           {"action", action.action},
                           {"target", action.target},
                           {"status", action.status},
                           {"result", action.message},
                           {"params", action.params},
                           {"seconds", action.seconds}});
}

ActionTaken action_from_json(const Json& json) {
  return {.id = json["id"].string_or(""),
          .action = json["action"].string_or(""),
          .target = json["target"].string_or(""),
          .status = json["status"].string_or(""),
          .message = json["result"].string_or(""),
          .params = json["params"],
          .seconds = json["seconds"].number_or(0)};
}

Json to_json(const Transition& transition) {
  return Json(Json::Object{{"from", to_text(transition.from)},
                           {"to", to_text(transition.to)},
                           {"at", time_or_null(transition.timestamp_ns)},
                           {"evidence", to_json_list(transition.evidence)},
                           {"why", transition.why}});
}

constexpr auto states = {State::proposed, State::testing, State::supported, State::refuted,
                         State::inconclusive};

Result<Transition> transition_from_json(const Json& json) {
  Transition transition;
  transition.from = TRY(from_text(json, "from", states));
  transition.to = TRY(from_text(json, "to", states));
  transition.timestamp_ns = time_or_zero(json["at"]);
  transition.evidence = to_list(json["evidence"]);
  transition.why = json["why"].string_or("");
  return transition;
}

template <typename T>
Json to_json_array(const std::vector<T>& items) {
  Json list{Json::Array{}};
  for (const T& item : items) list.push(to_json(item));
  return list;
}

Json to_json(const Location& location) {
  const auto text = [](const std::string& value) { return value.empty() ? Json() : Json(value); };
  return Json(Json::Object{{"node_id", text(location.node_id)},
                           {"device", text(location.device)},
                           {"rank", text(location.rank)},
                           {"job_id", text(location.job_id)},
                           {"pid", location.pid == 0 ? Json() : Json(location.pid)},
                           {"command", text(location.command)}});
}

Json to_json(const Hypothesis& hypothesis, int64_t rank) {
  Json json{Json::Object{}};
  json.set("rank", rank)
      .set("fault", hypothesis.fault)
      .set("layer", hypothesis.layer)
      .set("title", hypothesis.title)
      .set("probability", hypothesis.probability)
      .set("state", to_text(hypothesis.state))
      .set("role", hypothesis.role)
      .set("location", to_json(hypothesis.location))
      .set("prior_log_odds", hypothesis.prior_log_odds)
      .set("evidence", to_json_array(hypothesis.evidence))
      .set("actions", to_json_array(hypothesis.actions))
      .set("transitions", to_json_array(hypothesis.transitions))
      .set("remediation",
           Json(Json::Object{{"now", to_json_list(hypothesis.remediation.now)},
                             {"soon", to_json_list(hypothesis.remediation.soon)},
                             {"lasting", to_json_list(hypothesis.remediation.lasting)}}));
  return json;
}

Result<Hypothesis> hypothesis_from_json(const Json& json) {
  Hypothesis hypothesis;
  hypothesis.fault = json["fault"].string_or("");
  hypothesis.layer = json["layer"].string_or("");
  hypothesis.title = json["title"].string_or("");
  hypothesis.role = json["role"].string_or("");
  hypothesis.prior_log_odds = json["prior_log_odds"].number_or(0);
  hypothesis.probability = json["probability"].number_or(0);
  hypothesis.state = TRY(from_text(json, "state", states));
  const Json& location = json["location"];
  hypothesis.location = {.node_id = location["node_id"].string_or(""),
                         .device = location["device"].string_or(""),
                         .rank = location["rank"].string_or(""),
                         .job_id = location["job_id"].string_or(""),
                         .pid = location["pid"].int_or(0),
                         .command = location["command"].string_or("")};
  for (const Json& one : json["evidence"].array()) {
    hypothesis.evidence.push_back(TRY(evidence_from_json(one)));
  }
  for (const Json& one : json["actions"].array()) {
    hypothesis.actions.push_back(action_from_json(one));
  }
  for (const Json& one : json["transitions"].array()) {
    hypothesis.transitions.push_back(TRY(transition_from_json(one)));
  }
  const Json& remediation = json["remediation"];
  hypothesis.remediation = {.now = to_list(remediation["now"]),
                            .soon = to_list(remediation["soon"]),
                            .lasting = to_list(remediation["lasting"])};
  return hypothesis;
}

// From the cause that was found to what was noticed, each link with the evidence that says so.
Json chain(const Diagnosis& diagnosis) {
  Json links{Json::Array{}};
  for (const auto& hypothesis : diagnosis.hypotheses) {
    if (hypothesis.state != State::supported) continue;
    for (const auto& evidence : hypothesis.evidence) {
      if (evidence.verdict() != "supports") continue;
      links.push(Json(Json::Object{{"from", hypothesis.fault},
                                   {"to", diagnosis.trigger_name},
                                   {"why", evidence.id + ": " + evidence.finding.statement}}));
    }
  }
  return links;
}

}  // namespace

std::string_view to_text(Provenance provenance) {
  switch (provenance) {
    case Provenance::measured:
      return "measured";
    case Provenance::published:
      return "published";
    case Provenance::guess:
      return "guess";
  }
  return "guess";
}

std::string_view to_text(State state) {
  switch (state) {
    case State::proposed:
      return "proposed";
    case State::testing:
      return "testing";
    case State::supported:
      return "supported";
    case State::refuted:
      return "refuted";
    case State::inconclusive:
      return "inconclusive";
  }
  return "proposed";
}

std::string_view Evidence::verdict() const {
  if (finding.answer == Answer::no_data || log_odds == 0) return "neutral";
  return log_odds > 0 ? "supports" : "refutes";
}

double Hypothesis::log_weight() const {
  double sum = prior_log_odds;
  for (const auto& one : evidence) sum += one.log_odds;
  return sum;
}

bool Hypothesis::is_refuted_by_evidence() const {
  return std::any_of(evidence.begin(), evidence.end(), [](const Evidence& one) {
    return one.decisive && one.verdict() == "refutes";
  });
}

Json to_json(const Diagnosis& diagnosis) {
  Json hypotheses{Json::Array{}};
  int64_t rank = 0;
  for (const auto& hypothesis : diagnosis.hypotheses) {
    hypotheses.push(to_json(hypothesis, ++rank));
  }
  Json incident{Json::Object{}};
  incident.set("id", diagnosis.incident_id)
      .set("trigger", diagnosis.trigger)
      .set("trigger_name", diagnosis.trigger_name)
      .set("started_at", time_or_null(diagnosis.started_at_ns))
      .set("opened_at", time_or_null(diagnosis.opened_at_ns))
      .set("concluded_at", time_or_null(diagnosis.concluded_at_ns))
      .set("nodes", to_json_list(diagnosis.nodes))
      .set("jobs", to_json_list(diagnosis.jobs));
  Json json{Json::Object{}};
  json.set("verdict", diagnosis.verdict)
      .set("incident", std::move(incident))
      .set("hypotheses", std::move(hypotheses))
      .set("chain", chain(diagnosis))
      .set("missing", to_json_list(diagnosis.missing))
      .set("unknown_probability", diagnosis.unknown_probability)
      .set("elapsed_ms", (diagnosis.concluded_at_ns - diagnosis.opened_at_ns) / 1'000'000);
  return json;
}

Result<Diagnosis> diagnosis_from_json(const Json& json) {
  if (!json["incident"].is_object() || !json["hypotheses"].is_array()) {
    return Error{ErrorCode::invalid_input,
                 "this is no diagnosis: 'incident' and 'hypotheses' "
                 "are missing"};
  }
  Diagnosis diagnosis;
  diagnosis.verdict = json["verdict"].string_or("unknown");
  const Json& incident = json["incident"];
  diagnosis.incident_id = incident["id"].string_or("");
  diagnosis.trigger = incident["trigger"].string_or("");
  diagnosis.trigger_name = incident["trigger_name"].string_or("");
  diagnosis.started_at_ns = time_or_zero(incident["started_at"]);
  diagnosis.opened_at_ns = time_or_zero(incident["opened_at"]);
  diagnosis.concluded_at_ns = time_or_zero(incident["concluded_at"]);
  diagnosis.nodes = to_list(incident["nodes"]);
  diagnosis.jobs = to_list(incident["jobs"]);
  for (const Json& one : json["hypotheses"].array()) {
    diagnosis.hypotheses.push_back(TRY(hypothesis_from_json(one)));
  }
  diagnosis.missing = to_list(json["missing"]);
  diagnosis.unknown_probability = json["unknown_probability"].number_or(1);
  return diagnosis;
}

}  // namespace auscult::diagnose
