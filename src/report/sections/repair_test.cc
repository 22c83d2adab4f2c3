#include "report/section.h"
#include "report/testing.h"

namespace auscult::report {

Section repair();

namespace {

TEST(RepairSection, has_the_steps_of_what_was_found_and_of_nothing_else) {
  auto diagnosis = example();
  diagnosis.hypotheses[2].remediation.now = {"Replace the disk."};

  expect_golden("repair.md", section_text(repair(), diagnosis));
}

TEST(RepairSection, is_left_out_when_nothing_was_found) {
  auto diagnosis = example();
  diagnosis.hypotheses[0].state = diagnose::State::inconclusive;

  EXPECT_EQ(section_text(repair(), diagnosis), "");
}

}  // namespace
}  // namespace auscult::report
