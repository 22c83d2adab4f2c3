#include "report/section.h"
#include "report/testing.h"

namespace auscult::report {

Section baseline();

namespace {

TEST(BaselineSection, has_a_row_for_each_figure_that_has_a_baseline) {
  expect_golden("baseline.md", section_text(baseline(), example()));
}

TEST(BaselineSection, the_same_evidence_of_two_hypotheses_is_one_row) {
  auto diagnosis = example();
  const auto once = section_text(baseline(), diagnosis);
  diagnosis.hypotheses[1].evidence.push_back(diagnosis.hypotheses[0].evidence[0]);

  EXPECT_EQ(section_text(baseline(), diagnosis), once);
}

TEST(BaselineSection, the_change_from_nothing_is_no_number) {
  auto diagnosis = example();
  diagnosis.hypotheses[0].evidence.resize(1);
  diagnosis.hypotheses[0].evidence[0].finding.baseline = 0;

  EXPECT_NE(section_text(baseline(), diagnosis).find("| 0% | 82% | - |"), std::string::npos);
}

TEST(BaselineSection, is_left_out_without_figures) { EXPECT_EQ(section_text(baseline(), {}), ""); }

}  // namespace
}  // namespace auscult::report
