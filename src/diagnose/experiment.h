// Experiments: which actions to take, in which order, with which parameters.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "diagnose/diagnosis.h"
#include "diagnose/fault.h"
#include "store/store.h"

namespace auscult::diagnose {

// One action, and every hypothesis that it tests.
struct PlannedExperiment {
  std::string action;
  std::string action_class;
  Json params;
  double seconds = 0;  // limit
  std::vector<std::pair<size_t, const Experiment*>>
      consumers;  // index of the hypothesis, its questions
};

// The experiments of these hypotheses, each action once, those that test the most hypotheses a
// second of disturbance first. The pointers live as long as `faults`.
std::vector<PlannedExperiment> plan_experiments(const std::vector<Hypothesis>& hypotheses,
                                                const std::vector<Fault>& faults);

// Completes the parameters of a benchmark action with those that the node's baseline was measured
// with: only like can be compared with like. Of several baselines the one with the most runs whose
// repeats fit into `seconds`; where none fits, as many repeats as do. not_found: there is no
// baseline, or not even one run of it fits. Other parameters stay as they are.
Result<Ok> prepare_parameters(Json& params, double seconds, const std::string& node_id,
                              store::Store& store, const Clock& clock);

// " storage" or "": what a reader wants to know of the parameters.
std::string describe_parameters(const Json& params);

}  // namespace auscult::diagnose
