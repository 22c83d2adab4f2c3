#include "diagnose/diagnosis.h"

#include <gtest/gtest.h>

namespace auscult::diagnose {
namespace {

Diagnosis sample() {
  Diagnosis diagnosis{.verdict = "fault",
                      .incident_id = "inc-1",
                      .trigger = "waits",
                      .trigger_name = "io_pressure"};
  diagnosis.opened_at_ns = 1'700'000'000'000'000'000;
  diagnosis.concluded_at_ns = diagnosis.opened_at_ns + 412'000'000;
  diagnosis.nodes = {"node1"};
  Hypothesis hypothesis{.fault = "storage_contention", .layer = "storage", .title = "t"};
  hypothesis.state = State::supported;
  hypothesis.probability = 0.9;
  hypothesis.location = {.node_id = "node1", .device = "sda", .pid = 7, .command = "hog"};
  Evidence evidence{.id = "e1", .task = "check_metric", .question = "q"};
  evidence.finding.answer = Answer::found;
  evidence.finding.statement = "it waits";
  evidence.finding.value = 0.9;
  evidence.finding.statistic = Statistic{.name = "ks", .value = 1, .p = 0.001};
  evidence.finding.source = {.kind = "promql", .query = "up", .start_ns = 0, .end_ns = 0};
  evidence.log_odds = 1.5;
  evidence.could_fail = true;
  evidence.rerun = "auscult diagnose --task check_metric";
  hypothesis.evidence.push_back(evidence);
  hypothesis.actions.push_back(
      {.id = "inc-1.a1", .action = "process_snapshot", .target = "node1", .status = "done"});
  hypothesis.transitions.push_back({.from = State::testing,
                                    .to = State::supported,
                                    .timestamp_ns = diagnosis.opened_at_ns,
                                    .evidence = {"e1"},
                                    .why = "passed"});
  hypothesis.remediation.now = {"stop it"};
  diagnosis.hypotheses.push_back(hypothesis);
  diagnosis.missing = {"the log"};
  diagnosis.unknown_probability = 0.05;
  return diagnosis;
}

TEST(Diagnosis, json_reads_back_as_it_was) {
  const Json json = to_json(sample());
  const auto back = diagnosis_from_json(json);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(to_json(*back).dump(2), json.dump(2));
}

TEST(Diagnosis, json_has_every_member_of_the_contract) {
  const Json json = to_json(sample());
  for (const char* member : {"verdict", "incident", "hypotheses", "chain", "missing",
                             "unknown_probability", "elapsed_ms"}) {
    EXPECT_TRUE(json.has(member)) << member;
  }
  const Json& hypothesis = json["hypotheses"].array()[0];
  for (const char* member : {"rank", "fault", "layer", "title", "probability", "state", "role",
                             "location", "evidence", "actions", "remediation"}) {
    EXPECT_TRUE(hypothesis.has(member)) << member;
  }
  const Json& evidence = hypothesis["evidence"].array()[0];
  for (const char* member : {"id", "task", "statement", "value", "unit", "baseline", "statistic",
                             "verdict", "log_odds", "provenance", "source", "rerun"}) {
    EXPECT_TRUE(evidence.has(member)) << member;
  }
  EXPECT_EQ(json["elapsed_ms"], Json(412));
  EXPECT_EQ(evidence["verdict"], Json("supports"));
  EXPECT_EQ(json["chain"].array()[0]["to"], Json("io_pressure"));
}

TEST(Diagnosis, the_chain_has_the_evidence_for_what_was_found_and_nothing_else) {
  Diagnosis diagnosis = sample();
  Evidence against = diagnosis.hypotheses[0].evidence[0];
  against.id = "e2";
  against.log_odds = -1;
  diagnosis.hypotheses[0].evidence.push_back(against);
  Hypothesis other = diagnosis.hypotheses[0];
  other.state = State::inconclusive;
  diagnosis.hypotheses.push_back(other);

  const Json chain = to_json(diagnosis)["chain"];

  ASSERT_EQ(chain.array().size(), 1U) << chain.dump();
  EXPECT_EQ(chain.array()[0]["why"], Json("e1: it waits"));
}

TEST(Diagnosis, evidence_that_was_not_observed_is_neutral) {
  Evidence evidence{.id = "e1"};
  evidence.log_odds = 2;
  EXPECT_EQ(evidence.verdict(), "neutral");
}

TEST(Diagnosis, another_json_is_refused) {
  EXPECT_FALSE(diagnosis_from_json(Json(Json::Object{{"a", 1}})));
}

}  // namespace
}  // namespace auscult::diagnose
