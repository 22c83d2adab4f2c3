// Fault: one illness of the catalogue: its prior, the questions that bear on it, the experiments
// that can refute it, and what to do about it. A domain expert writes these in
// catalog/faults/*.yaml.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "diagnose/diagnosis.h"

namespace auscult::diagnose {

// What an answer adds to the hypothesis.
struct Weight {
  double log_odds = 0;                        // natural logarithm
  Provenance provenance = Provenance::guess;  // a guess is never beyond +-2
  bool refutes = false;  // decisive: were the fault there, this test would have shown it
  std::string because;
};

struct Question {
  std::string id;
  std::string task;
  TaskParameters parameters;  // what differs from the incident's own (node, start, end, ...)
  Weight found;
  Weight clear;
};

struct Experiment {
  std::string action;  // process_snapshot, targeted_benchmark
  std::string action_class;
  std::string sees;  // what it can see: why a clear answer means something
  Json params;
  double seconds = 30;  // limit on the node, and its cost for the planner
  std::vector<Question> questions;
};

struct Fault {
  std::string id;
  std::string title;
  std::string layer;
  std::string severity;
  std::string role;
  std::string device;  // disk, cpu, memory or empty: what location.device becomes
  Weight prior;
  std::vector<Question> questions;  // asked of the data at hand
  std::vector<Experiment> experiments;
  Remediation remediation;
};

inline constexpr double max_guess_log_odds = 2;

// One file. Errors are "file:line: ...": unknown key, unknown task or task parameter, unknown
// action, a guess beyond +-2, an id that is not the file's name.
Result<Fault> parse_fault(std::string_view text, const std::string& name);

// The built-in catalogue, or every *.yaml of a folder.
Result<std::vector<Fault>> load_faults(const std::filesystem::path& folder = {});

}  // namespace auscult::diagnose
