#include "base/check.h"

#include <gtest/gtest.h>

namespace auscult {
namespace {

TEST(Check, what_cannot_happen_aborts_and_says_where_and_why) {
  const int n = 1;
  CHECK(n == 1, "one is one");
  EXPECT_DEATH(CHECK(n == 2, "one is not two"),
               "check_test.cc:.*CHECK\\(n == 2\\) failed: one is not two");
}

}  // namespace
}  // namespace auscult
