#include <gtest/gtest.h>

#include "bench/host_tree.h"
#include "bench/preflight/check_for_test.h"

namespace auscult::bench {
namespace {

using Verdict = PreflightFinding::Verdict;

TEST(FreeSpace, a_file_that_fits_is_clear_or_at_most_a_warning) {
  const auto finding =
      check_named("free_space", {.scratch = testing::TempDir(), .scratch_bytes = 1});
  EXPECT_NE(finding.verdict, Verdict::failed) << finding.message;
  EXPECT_NE(finding.verdict, Verdict::no_data) << finding.message;
}

TEST(FreeSpace, a_file_that_does_not_fit_fails_with_both_figures) {
  const auto finding = check_named(
      "free_space", {.scratch = testing::TempDir(), .scratch_bytes = int64_t{1} << 60U});
  EXPECT_EQ(finding.verdict, Verdict::failed);
  EXPECT_NE(finding.message.find("are needed"), std::string::npos) << finding.message;
}

TEST(FreeSpace, a_folder_that_is_not_made_yet_is_judged_by_its_parent) {
  const auto finding = check_named("free_space", {.scratch = testing::TempDir() + "/not/yet/here",
                                                  .scratch_bytes = int64_t{1} << 60U});
  EXPECT_EQ(finding.verdict, Verdict::failed) << finding.message;
}

TEST(FreeSpace, where_nothing_is_written_there_is_room) {
  EXPECT_EQ(check_named("free_space", {.scratch_bytes = int64_t{1} << 60U}).verdict,
            Verdict::clear);
}

}  // namespace
}  // namespace auscult::bench
