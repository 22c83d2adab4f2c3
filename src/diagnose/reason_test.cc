#include "diagnose/reason.h"

#include <gtest/gtest.h>

#include <cmath>

namespace auscult::diagnose {
namespace {

Evidence evidence(const std::string& id, double log_odds, bool decisive = false,
                  bool could_fail = true) {
  Evidence made{.id = id};
  made.finding.answer = log_odds > 0 ? Answer::found : Answer::clear;
  made.log_odds = log_odds;
  made.decisive = decisive;
  made.could_fail = could_fail;
  return made;
}

Hypothesis hypothesis(const std::string& fault, double prior, std::vector<Evidence> all) {
  Hypothesis made{.fault = fault, .prior_log_odds = prior};
  made.evidence = std::move(all);
  return made;
}

TEST(Reason, probabilities_are_the_softmax_of_the_weights_with_unknown_at_zero) {
  std::vector<Hypothesis> list = {hypothesis("a", -1, {evidence("e1", 2)}),
                                  hypothesis("b", -2, {})};
  const double unknown = rank_hypotheses(list);

  const double total = 1 + std::exp(1) + std::exp(-2);
  EXPECT_NEAR(unknown, 1 / total, 1e-12);
  EXPECT_NEAR(list[0].probability, std::exp(1) / total, 1e-12);
  EXPECT_NEAR(list[1].probability, std::exp(-2) / total, 1e-12);
}

TEST(Reason, huge_weights_do_not_overflow) {
  std::vector<Hypothesis> list = {hypothesis("a", 800, {}), hypothesis("b", -800, {})};
  EXPECT_NEAR(rank_hypotheses(list), 0, 1e-12);
  EXPECT_NEAR(list[0].probability, 1, 1e-12);
}

TEST(Reason, the_refuted_come_last_whatever_their_probability) {
  std::vector<Hypothesis> list = {hypothesis("a", 5, {}), hypothesis("b", 0, {})};
  move_to(list[0], State::refuted, 1, {"e1"}, "test");
  rank_hypotheses(list);
  EXPECT_EQ(list[0].fault, "b");
}

TEST(Reason, a_decisive_clear_answer_refutes_and_names_its_evidence) {
  std::vector<Hypothesis> list = {
      hypothesis("a", 0, {evidence("e1", 2), evidence("e2", -1, true)})};
  conclude(list, 7);
  EXPECT_EQ(list[0].state, State::refuted);
  ASSERT_EQ(list[0].transitions.size(), 1U);
  EXPECT_EQ(list[0].transitions[0].evidence, std::vector<std::string>{"e2"});
  EXPECT_EQ(list[0].transitions[0].timestamp_ns, 7);
}

TEST(Reason, supported_needs_evidence_that_could_have_failed) {
  std::vector<Hypothesis> safe = {hypothesis("a", 0, {evidence("e1", 2, false, false)})};
  conclude(safe, 1);
  EXPECT_EQ(safe[0].state, State::proposed);

  std::vector<Hypothesis> risky = {hypothesis("a", 0, {evidence("e1", 2)})};
  conclude(risky, 1);
  EXPECT_EQ(risky[0].state, State::supported);
}

TEST(Reason, a_rival_that_is_close_keeps_both_from_being_supported) {
  std::vector<Hypothesis> list = {hypothesis("a", 0, {evidence("e1", 2)}),
                                  hypothesis("b", 0, {evidence("e2", 1)})};
  for (auto& one : list) move_to(one, State::testing, 1, {}, "test");
  conclude(list, 2);
  EXPECT_EQ(list[0].state, State::inconclusive);
  EXPECT_EQ(list[1].state, State::inconclusive);
}

TEST(Reason, an_alert_without_a_supported_cause_is_unknown_never_healthy) {
  std::vector<Hypothesis> list = {hypothesis("a", -2, {evidence("e1", -2)})};
  rank_hypotheses(list);
  EXPECT_EQ(overall_verdict(list, coverage(list), true), "unknown");
  EXPECT_EQ(overall_verdict(list, coverage(list), false), "healthy");
}

TEST(Reason, nothing_observed_is_no_data_never_healthy) {
  Evidence silent{.id = "e1"};
  std::vector<Hypothesis> list = {hypothesis("a", -2, {silent})};
  rank_hypotheses(list);
  EXPECT_EQ(overall_verdict(list, coverage(list), false), "no_data");
  EXPECT_EQ(overall_verdict({}, {}, false), "no_data");
}

TEST(Reason, one_calm_log_among_silent_metrics_is_not_health) {
  std::vector<Hypothesis> list = {
      hypothesis("a", -2, {evidence("e1", -1), Evidence{.id = "e2"}, Evidence{.id = "e3"}})};
  rank_hypotheses(list);
  EXPECT_EQ(overall_verdict(list, coverage(list), false), "unknown");
}

TEST(Reason, what_was_refuted_makes_nobody_suspicious_however_likely_it_was) {
  std::vector<Hypothesis> list = {hypothesis("a", 3, {}), hypothesis("b", -4, {})};
  rank_hypotheses(list);
  EXPECT_TRUE(is_suspicious(list));

  move_to(list[0], State::refuted, 1, {"e1"}, "test");
  EXPECT_FALSE(is_suspicious(list));
}

TEST(Reason, calm_answers_to_half_of_the_questions_are_health) {
  std::vector<Hypothesis> list = {hypothesis("a", -2, {evidence("e1", -1), Evidence{.id = "e2"}})};
  rank_hypotheses(list);
  EXPECT_EQ(overall_verdict(list, coverage(list), false), "healthy");
}

}  // namespace
}  // namespace auscult::diagnose
