#include "report/section.h"
#include "report/testing.h"

namespace auscult::report {

Section hypotheses();

namespace {

TEST(HypothesesSection, has_each_with_its_state_and_what_decided) {
  expect_golden("hypotheses.md", section_text(hypotheses(), example()));
}

TEST(HypothesesSection, always_leaves_room_for_none_of_these) {
  EXPECT_NE(section_text(hypotheses(), example()).find("| none of these |  | 0.7% |"),
            std::string::npos);
}

TEST(HypothesesSection, is_left_out_when_nothing_was_suspected) {
  EXPECT_EQ(section_text(hypotheses(), {}), "");
}

}  // namespace
}  // namespace auscult::report
