#include "report/section.h"
#include "report/testing.h"

namespace auscult::report {

Section evidence();

namespace {

TEST(EvidenceSection, has_figure_test_weight_source_and_command_of_each) {
  expect_golden("evidence.md", section_text(evidence(), example()));
}

TEST(EvidenceSection, says_that_a_figure_was_only_compared_with_a_bound) {
  auto diagnosis = example();
  diagnosis.hypotheses[0].evidence[0].finding.statistic.reset();

  EXPECT_NE(section_text(evidence(), diagnosis).find("test: compared with its bound"),
            std::string::npos);
}

TEST(EvidenceSection, what_weighs_nothing_has_no_sign) {
  auto diagnosis = example();
  diagnosis.hypotheses[0].evidence[0].log_odds = 0;

  EXPECT_NE(section_text(evidence(), diagnosis).find("weight: 0 log-odds"), std::string::npos);
}

}  // namespace
}  // namespace auscult::report
