#include <gtest/gtest.h>

#include "bench/host_tree.h"
#include "bench/preflight/check_for_test.h"

namespace auscult::bench {
namespace {

using Verdict = PreflightFinding::Verdict;

PreflightFinding on(const std::string& mount_line, const std::string& diskstats = "") {
  HostTree tree(testing::TempDir());
  tree.write("proc/self/mountinfo", mount_line + "\n").write("proc/diskstats", diskstats);
  return check_named("scratch_is_memory", {.root = tree.root(), .scratch = "/scratch"});
}

TEST(ScratchIsMemory, tmpfs_and_ramfs_fail) {
  const auto finding = on("27 1 0:25 / /scratch rw - tmpfs tmpfs rw");
  EXPECT_EQ(finding.verdict, Verdict::failed);
  EXPECT_NE(finding.message.find("tmpfs"), std::string::npos);
  EXPECT_EQ(on("27 1 0:25 / / rw - ramfs none rw").verdict, Verdict::failed);
}

TEST(ScratchIsMemory, a_file_system_on_compressed_memory_fails) {
  EXPECT_EQ(
      on("27 1 253:0 / / rw - ext4 /dev/zram0 rw", "253 0 zram0 1 0 1 1 1 0 1 1 0 77 1 0 0 0\n")
          .verdict,
      Verdict::failed);
}

TEST(ScratchIsMemory, a_disk_is_clear) {
  EXPECT_EQ(
      on("27 1 8:1 / / rw - ext4 /dev/sda1 rw", "8 1 sda1 1 0 1 1 1 0 1 1 0 77 1 0 0 0\n").verdict,
      Verdict::clear);
  EXPECT_EQ(on("27 1 0:30 / / rw - nfs server:/x rw").verdict, Verdict::clear);
}

TEST(ScratchIsMemory, an_unknown_place_is_no_data) {
  const HostTree tree(testing::TempDir());
  EXPECT_EQ(check_named("scratch_is_memory", {.root = tree.root(), .scratch = "/x"}).verdict,
            Verdict::no_data);
}

}  // namespace
}  // namespace auscult::bench
