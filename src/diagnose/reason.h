// Reason: from evidence to probabilities, ranks and states. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diagnose/diagnosis.h"

namespace auscult::diagnose {

inline constexpr size_t top_hypotheses = 3;

// A rival this many natural-log units below is far behind: about 20 to 1.
inline constexpr double far_behind = 3;

// Fills in the probabilities (softmax of the log weights, with "unknown" at weight 0 among them)
// and sorts: by probability, the refuted last. Returns the probability of "unknown". Assumes one
// root cause and evidence that is independent given the fault: two questions that read the same
// counter must not both weigh much.
double rank_hypotheses(std::vector<Hypothesis>& hypotheses);

// Moves a hypothesis to a state, with the evidence it rests on. Staying in a state is no
// transition.
void move_to(Hypothesis& hypothesis, State state, int64_t now_ns, std::vector<std::string> evidence,
             std::string why);

// Refuted as soon as a decisive answer came out against it.
void refute_if_decided(Hypothesis& hypothesis, int64_t now_ns);

// Does anything look wrong? A hypothesis that is as likely as one in five, before any experiment.
bool is_suspicious(const std::vector<Hypothesis>& hypotheses);

// The states that the evidence at hand gives, after all experiments: refuted where a decisive test
// came out against it; supported where evidence that could have failed came out for it and every
// rival is refuted or far behind; else inconclusive if it was tested, or proposed as before.
void conclude(std::vector<Hypothesis>& hypotheses, int64_t now_ns);

// fault, healthy, unknown or no_data. `alerted`: something was noticed, so the node is not healthy
// whatever the evidence says. Healthy needs answers to at least half of the questions: one log that
// is calm does not speak for the metrics that nobody sent.
struct Coverage {
  size_t asked = 0;     // questions put to the data, of the whole catalogue
  size_t answered = 0;  // found or clear
};
Coverage coverage(const std::vector<Hypothesis>& hypotheses);
std::string overall_verdict(const std::vector<Hypothesis>& hypotheses, const Coverage& coverage,
                            bool alerted);

}  // namespace auscult::diagnose
