#include "report/section.h"
#include "report/testing.h"

namespace auscult::report {

Section experiments();

namespace {

TEST(ExperimentsSection, has_each_action_once) {
  expect_golden("experiments.md", section_text(experiments(), example()));
}

TEST(ExperimentsSection, says_why_an_action_brought_nothing) {
  auto diagnosis = example();
  diagnosis.hypotheses[0].actions[0].status = "refused";
  diagnosis.hypotheses[0].actions[0].message = "the class benchmark is not allowed on this node";

  EXPECT_NE(section_text(experiments(), diagnosis)
                .find("| refused | 8.25 s | the class benchmark is not allowed on this node |"),
            std::string::npos);
}

TEST(ExperimentsSection, says_that_there_were_none) {
  EXPECT_NE(section_text(experiments(), {}).find("No experiment was made."), std::string::npos);
}

}  // namespace
}  // namespace auscult::report
