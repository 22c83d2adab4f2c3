#include "report/section.h"
#include "report/testing.h"

namespace auscult::report {

Section summary();

namespace {

TEST(SummarySection, says_what_was_noticed_and_found_and_how_long_it_took) {
  expect_golden("summary.md", section_text(summary(), example()));
}

TEST(SummarySection, says_so_when_no_cause_explains_what_was_seen) {
  auto diagnosis = example();
  diagnosis.verdict = "unknown";
  diagnosis.unknown_probability = 0.61;
  diagnosis.hypotheses.clear();

  const auto text = section_text(summary(), diagnosis);

  EXPECT_NE(text.find("Verdict: unknown."), std::string::npos) << text;
  EXPECT_NE(text.find("the probability that it is none of them is 61%."), std::string::npos)
      << text;
}

TEST(SummarySection, a_healthy_node_lacks_no_cause) {
  auto diagnosis = example();
  diagnosis.verdict = "healthy";
  diagnosis.hypotheses.clear();

  const auto text = section_text(summary(), diagnosis);

  EXPECT_NE(text.find("Verdict: healthy."), std::string::npos) << text;
  EXPECT_EQ(text.find("No cause"), std::string::npos) << text;
}

}  // namespace
}  // namespace auscult::report
