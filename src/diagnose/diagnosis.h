// Diagnosis: what was suspected, tested, refuted and found; the JSON of `auscult diagnose`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "diagnose/task.h"

namespace auscult::diagnose {

enum class Provenance : uint8_t { measured, published, guess };
enum class State : uint8_t { proposed, testing, supported, refuted, inconclusive };
std::string_view to_text(Provenance provenance);
std::string_view to_text(State state);

struct Evidence {
  std::string id;  // e1, e2, ... within the incident
  std::string task;
  std::string question;  // id of the catalogue entry that asked
  std::string action;    // id of the action it rests on, or empty
  Finding finding;
  double log_odds = 0;      // natural logarithm; what it adds to the hypothesis
  bool decisive = false;    // refutes by itself: the fault would have shown here
  bool could_fail = false;  // the other answer would have spoken against the hypothesis
  Provenance provenance = Provenance::guess;
  std::string because;  // why the answer weighs so
  std::string rerun;    // command that gives the figure again

  // supports, refutes or neutral.
  std::string_view verdict() const;
};

struct ActionTaken {
  std::string id;
  std::string action;
  std::string target;
  std::string status;  // requested, done, refused, failed, timed_out, skipped
  std::string message;
  Json params;
  double seconds = 0;
};

struct Transition {
  State from = State::proposed;
  State to = State::proposed;
  int64_t timestamp_ns = 0;
  std::vector<std::string> evidence;  // ids it rests on
  std::string why;
};

struct Location {
  std::string node_id, device, rank, job_id;
  int64_t pid = 0;  // of the culprit, 0 when none was named
  std::string command;
};

struct Remediation {
  std::vector<std::string> now, soon, lasting;
};

struct Hypothesis {
  std::string fault;
  std::string layer;
  std::string title;
  std::string role = "root";
  double prior_log_odds = 0;
  double probability = 0;
  State state = State::proposed;
  Location location;
  std::vector<Evidence> evidence;
  std::vector<ActionTaken> actions;
  std::vector<Transition> transitions;
  Remediation remediation;

  double log_weight() const;  // prior plus all evidence
  bool is_refuted_by_evidence() const;
};

struct Diagnosis {
  std::string verdict = "unknown";  // fault, healthy, unknown, no_data
  std::string incident_id;
  std::string trigger;  // in words
  std::string trigger_name;
  int64_t started_at_ns = 0;  // of the illness, as far as the data tell
  int64_t opened_at_ns = 0;   // when it was noticed or asked
  int64_t concluded_at_ns = 0;
  std::vector<std::string> nodes;
  std::vector<std::string> jobs;
  std::vector<Hypothesis> hypotheses;  // by probability, refuted last
  std::vector<std::string> missing;
  double unknown_probability = 1;
};

// The contract of DESIGN section 6, and members of ours beside it.
Json to_json(const Diagnosis& diagnosis);
Result<Diagnosis> diagnosis_from_json(const Json& json);

}  // namespace auscult::diagnose
