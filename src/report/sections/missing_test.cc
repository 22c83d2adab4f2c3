#include "report/section.h"
#include "report/testing.h"

namespace auscult::report {

Section missing();

namespace {

TEST(MissingSection, lists_what_was_not_observed) {
  expect_golden("missing.md", section_text(missing(), example()));
}

TEST(MissingSection, is_left_out_when_nothing_is_missing) {
  EXPECT_EQ(section_text(missing(), {}), "");
}

}  // namespace
}  // namespace auscult::report
