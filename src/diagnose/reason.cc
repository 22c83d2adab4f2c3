#include "diagnose/reason.h"

#include <algorithm>
#include <cmath>

namespace auscult::diagnose {
namespace {

std::vector<std::string> ids_with(const Hypothesis& hypothesis, std::string_view verdict,
                                  bool decisive_only) {
  std::vector<std::string> ids;
  for (const auto& evidence : hypothesis.evidence) {
    if (evidence.verdict() == verdict && (!decisive_only || evidence.decisive)) {
      ids.push_back(evidence.id);
    }
  }
  return ids;
}

bool was_tested(const Hypothesis& hypothesis) { return hypothesis.state == State::testing; }

bool rivals_are_out(const std::vector<Hypothesis>& hypotheses, const Hypothesis& candidate) {
  return std::all_of(hypotheses.begin(), hypotheses.end(), [&](const Hypothesis& rival) {
    return &rival == &candidate || rival.state == State::refuted ||
           candidate.log_weight() - rival.log_weight() >= far_behind;
  });
}

}  // namespace

double rank_hypotheses(std::vector<Hypothesis>& hypotheses) {
  double largest = 0;  // the weight of "unknown"
  for (const auto& one : hypotheses) largest = std::max(largest, one.log_weight());
  double total = std::exp(-largest);
  for (const auto& one : hypotheses) total += std::exp(one.log_weight() - largest);
  for (auto& one : hypotheses) one.probability = std::exp(one.log_weight() - largest) / total;
  std::stable_sort(hypotheses.begin(), hypotheses.end(),
                   [](const Hypothesis& a, const Hypothesis& b) {
                     const bool a_out = a.state == State::refuted;
                     const bool b_out = b.state == State::refuted;
                     if (a_out != b_out) return b_out;
                     return a.probability > b.probability;
                   });
  return std::exp(-largest) / total;
}

void move_to(Hypothesis& hypothesis, State state, int64_t now_ns, std::vector<std::string> evidence,
             std::string why) {
  if (hypothesis.state == state) return;
  hypothesis.transitions.push_back({.from = hypothesis.state,
                                    .to = state,
                                    .timestamp_ns = now_ns,
                                    .evidence = std::move(evidence),
                                    .why = std::move(why)});
  hypothesis.state = state;
}

void refute_if_decided(Hypothesis& hypothesis, int64_t now_ns) {
  if (!hypothesis.is_refuted_by_evidence()) return;
  move_to(hypothesis, State::refuted, now_ns, ids_with(hypothesis, "refutes", true),
          "were it there, this test would have shown it");
}

bool is_suspicious(const std::vector<Hypothesis>& hypotheses) {
  constexpr double suspicious_probability = 0.2;
  return std::any_of(hypotheses.begin(), hypotheses.end(), [](const Hypothesis& one) {
    return one.state != State::refuted && one.probability >= suspicious_probability;
  });
}

void conclude(std::vector<Hypothesis>& hypotheses, int64_t now_ns) {
  for (auto& one : hypotheses) refute_if_decided(one, now_ns);
  for (auto& one : hypotheses) {
    if (one.state == State::refuted) continue;
    // Evidence for it counts only where the same question could have spoken against it; a log line
    // that is there supports, but its absence would have meant nothing.
    std::vector<std::string> risky;
    for (const auto& evidence : one.evidence) {
      if (evidence.verdict() == "supports" && evidence.could_fail) risky.push_back(evidence.id);
    }
    if (!risky.empty() && one.log_weight() > 0 && rivals_are_out(hypotheses, one)) {
      move_to(one, State::supported, now_ns, risky,
              "it passed tests that it could have failed, and its rivals are out");
    } else if (was_tested(one)) {
      move_to(one, State::inconclusive, now_ns, {}, "the tests did not decide");
    }
  }
}

Coverage coverage(const std::vector<Hypothesis>& hypotheses) {
  Coverage coverage;
  for (const auto& one : hypotheses) {
    for (const auto& evidence : one.evidence) {
      ++coverage.asked;
      if (evidence.finding.answer != Answer::no_data) ++coverage.answered;
    }
  }
  return coverage;
}

std::string overall_verdict(const std::vector<Hypothesis>& hypotheses, const Coverage& coverage,
                            bool alerted) {
  bool suspicious = alerted;
  for (const auto& one : hypotheses) {
    if (one.state == State::supported) return "fault";
    if (one.probability >= 0.5) suspicious = true;
  }
  if (coverage.answered == 0) return "no_data";
  return suspicious || coverage.answered * 2 < coverage.asked ? "unknown" : "healthy";
}

}  // namespace auscult::diagnose
