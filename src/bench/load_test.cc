#include "bench/load.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "bench/host_tree.h"

namespace auscult::bench {
namespace {

using Verdict = PreflightFinding::Verdict;

// Two cores for one second, `busy` of 1 taken by anybody, as the kernel counts it.
CpuTimes after_one_second(double busy) {
  const double ticks = 2.0 * static_cast<double>(::sysconf(_SC_CLK_TCK));
  return {.total = ticks, .idle = ticks * (1 - busy)};
}

LoadLook look(double busy, double own_cpu_seconds = 0) {
  return {.cpu = after_one_second(busy), .own_cpu_seconds = own_cpu_seconds};
}

const LoadLook start = {.cpu = CpuTimes{}};

TEST(Load, a_quiet_host_is_clear) {
  EXPECT_EQ(judge_load(start, look(0.05), 1).verdict, Verdict::clear);
}

TEST(Load, some_load_is_a_warning_and_much_makes_the_figure_false) {
  EXPECT_EQ(judge_load(start, look(0.15), 1).verdict, Verdict::warning);
  const auto finding = judge_load(start, look(0.5), 1);
  EXPECT_EQ(finding.verdict, Verdict::failed);
  EXPECT_NE(finding.message.find("50%"), std::string::npos) << finding.message;
}

TEST(Load, what_we_use_ourselves_is_not_the_load_of_others) {
  EXPECT_EQ(judge_load(start, look(0.5, 0.95), 1).verdict, Verdict::clear);
}

TEST(Load, waiting_for_a_disk_is_not_using_the_cpu) {
  LoadLook waiting = look(0.5);
  waiting.cpu->io_wait = waiting.cpu->total * 0.5;
  EXPECT_EQ(judge_load(start, waiting, 1).verdict, Verdict::clear);
}

TEST(Load, time_given_to_other_guests_is_load_and_is_said) {
  LoadLook stolen = look(0.3);
  stolen.cpu->steal = stolen.cpu->total * 0.3;
  const auto finding = judge_load(start, stolen, 1);
  EXPECT_EQ(finding.verdict, Verdict::failed);
  EXPECT_NE(finding.message.find("hypervisor"), std::string::npos) << finding.message;
}

TEST(Load, a_busy_disk_fails_an_idle_cpu) {
  LoadLook before = start;
  LoadLook after = look(0);
  before.disk = DiskCounters{.device = "sda"};
  after.disk = DiskCounters{.device = "sda", .busy_ms = 150};
  EXPECT_EQ(judge_load(before, after, 1).verdict, Verdict::warning);
  after.disk->busy_ms = 400;
  const auto finding = judge_load(before, after, 1);
  EXPECT_EQ(finding.verdict, Verdict::failed);
  EXPECT_NE(finding.message.find("sda is busy 40%"), std::string::npos) << finding.message;
}

TEST(Load, a_warning_about_the_disk_does_not_soften_a_failure_of_the_cpu) {
  LoadLook before = start;
  LoadLook after = look(0.5);
  before.disk = DiskCounters{.device = "sda"};
  after.disk = DiskCounters{.device = "sda", .busy_ms = 150};
  EXPECT_EQ(judge_load(before, after, 1).verdict, Verdict::failed);
}

TEST(Load, a_host_that_does_not_tell_is_no_data_and_not_quiet) {
  EXPECT_EQ(judge_load({}, {}, 1).verdict, Verdict::no_data);
  EXPECT_EQ(judge_load(start, start, 1).verdict, Verdict::no_data);
}

TEST(Load, the_disk_is_looked_at_only_where_something_is_written) {
  HostTree tree(testing::TempDir());
  tree.write("proc/stat", "cpu  1 1 1 1 1 1 1 1\n")
      .write("proc/self/mountinfo", "27 1 8:1 / / rw - ext4 /dev/sda1 rw\n")
      .write("proc/diskstats", "8 1 sda1 1 0 1 1 1 0 1 1 0 77 1\n");

  EXPECT_FALSE(look_at_load(tree.root(), "").disk);
  const auto looked = look_at_load(tree.root(), "/scratch");
  ASSERT_TRUE(looked.disk);
  EXPECT_EQ(looked.disk->busy_ms, 77);
}

}  // namespace
}  // namespace auscult::bench
