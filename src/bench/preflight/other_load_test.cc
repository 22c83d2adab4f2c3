#include <gtest/gtest.h>

#include "bench/host_tree.h"
#include "bench/preflight/check_for_test.h"

namespace auscult::bench {
namespace {

using Verdict = PreflightFinding::Verdict;

// Judging is tested in load_test.cc; here, that the check takes its two looks.
TEST(OtherLoad, a_host_whose_clock_stands_still_is_no_data) {
  HostTree tree(testing::TempDir());
  tree.write("proc/stat", "cpu  1 1 1 1 1 1 1 1\n");
  EXPECT_EQ(check_named("other_load", {.root = tree.root()}).verdict, Verdict::no_data);
}

TEST(OtherLoad, the_real_host_gives_a_verdict) {
  EXPECT_NE(check_named("other_load", {}).verdict, Verdict::no_data);
}

}  // namespace
}  // namespace auscult::bench
