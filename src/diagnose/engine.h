// Engine: the loop of a diagnosis: form hypotheses, test the likeliest three, refute, conclude.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "actions/action.h"
#include "base/clock.h"
#include "base/result.h"
#include "diagnose/diagnosis.h"
#include "diagnose/fault.h"
#include "store/store.h"

namespace auscult::diagnose {

// What is to be explained.
struct Illness {
  std::string incident_id;
  std::string node_id;
  std::string trigger;       // in words, with the figure
  std::string trigger_name;  // io_pressure, or "asked"
  int64_t started_at_ns = 0;
  int64_t opened_at_ns = 0;
  store::TimeRange baseline;  // when the node was as usual
  bool alerted = true;        // false: somebody asks whether anything is wrong
};

// Carries an action out on its node and waits for what it brings back, at most until it expires.
// Errors: `unavailable` when the node did not answer.
using ActionChannel = std::function<Result<actions::ActionResult>(const actions::ActionRequest&)>;

struct EngineOptions {
  std::vector<Fault> faults;
  ActionChannel channel;            // empty: nothing is tried out, only looked at
  std::string program = "auscult";  // for the rerun commands
  std::string data_folder;
  std::function<void(std::string_view)> progress;  // may be empty
  std::function<void(const std::string& node_id, store::TimeRange)>
      disturbs;  // an experiment ran then
};

// Runs on the caller's thread, seconds to minutes. Every step is an event of the incident. An error
// means the diagnosis itself could not be made (the store failed); a refused or lost action does
// not.
Result<Diagnosis> diagnose(const Illness& illness, store::Store& store, const Clock& clock,
                           const EngineOptions& options);

}  // namespace auscult::diagnose
