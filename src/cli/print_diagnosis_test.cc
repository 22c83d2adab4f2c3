#include "cli/print_diagnosis.h"

#include <gtest/gtest.h>

#include <sstream>

namespace auscult::cli {
namespace {

diagnose::Diagnosis example() {
  return {.verdict = "fault",
          .incident_id = "i1",
          .trigger = "tasks wait",
          .hypotheses = {{.fault = "cpu_contention",
                          .probability = 0.98,
                          .state = diagnose::State::supported,
                          .location = {.node_id = "node1", .pid = 7, .command = "stress"},
                          .evidence = {{.id = "e1",
                                        .finding = {.answer = diagnose::Answer::found,
                                                    .statement = "busy 99%"},
                                        .log_odds = 2.5}},
                          .remediation = {.now = {"Stop PID 7."}, .soon = {}, .lasting = {}}},
                         {.fault = "cpu_throttled",
                          .probability = 0.01,
                          .state = diagnose::State::refuted,
                          .evidence = {{.id = "e2",
                                        .finding = {.answer = diagnose::Answer::clear,
                                                    .statement = "clock as ever"},
                                        .log_odds = -4,
                                        .decisive = true}}}},
          .missing = {"the turbo state"},
          .unknown_probability = 0.01};
}

std::string text(const diagnose::Diagnosis& diagnosis) {
  std::ostringstream out;
  print_diagnosis(diagnosis, out);
  return out.str();
}

TEST(PrintDiagnosis, ranks_the_hypotheses_with_their_evidence) {
  EXPECT_EQ(text(example()),
            "incident i1: verdict fault\n"
            "noticed: tasks wait\n"
            "\n"
            "1. cpu_contention  supported  98%  node1, PID 7 (stress)\n"
            "   + e1 busy 99%  (+2.5)\n"
            "   do now: Stop PID 7.\n"
            "\n"
            "2. cpu_throttled  refuted  1%  \n"
            "   - e2 clock as ever  (-4, decisive)\n"
            "\n"
            "none of these: 1%\n"
            "not observed: the turbo state\n");
}

TEST(PrintDiagnosis, only_what_refutes_is_decisive) {
  auto diagnosis = example();
  diagnosis.hypotheses[0].evidence[0].decisive = true;

  EXPECT_NE(text(diagnosis).find("busy 99%  (+2.5)\n"), std::string::npos) << text(diagnosis);
}

TEST(PrintDiagnosis, text_from_data_cannot_command_the_terminal) {
  auto diagnosis = example();
  diagnosis.hypotheses[0].location.command = "evil\x1b]0;x\x07\n2. none  supported";
  diagnosis.hypotheses[0].evidence[0].finding.statement = "\x1b[2J";

  const auto printed = text(diagnosis);

  EXPECT_EQ(printed.find('\x1b'), std::string::npos);
  EXPECT_EQ(printed.find("\n2. none"), std::string::npos);
}

}  // namespace
}  // namespace auscult::cli
