#include "collect/process_usage.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <sstream>

#include "collect/testing.h"

namespace auscult::collect {
namespace {

using std::chrono::seconds;

// The text of /proc/<pid>/stat; rss in pages.
std::string stat(const std::string& name, int user, int64_t start, int rss, unsigned flags = 0) {
  std::ostringstream text;
  text << "7 (" << name << ") R 1 7 7 0 -1 " << flags << " 0 0 0 0 " << user << " 0 0 0 20 0 1 0 "
       << start << " 1000000 " << rss << " 0 0\n";
  return text.str();
}

std::string io(int64_t read, int64_t write) {
  return "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: " + std::to_string(read) +
         "\nwrite_bytes: " + std::to_string(write) + "\ncancelled_write_bytes: 0\n";
}

TEST(ProcessSampler, the_first_look_has_no_interval) {
  const MadeHost made;
  made.write("proc/7/stat", stat("x", 1, 10, 1));
  ProcessSampler sampler(made.host());

  EXPECT_TRUE(sampler.sample(seconds(0)).empty());
}

TEST(ProcessSampler, rates_are_differences_over_the_interval) {
  const MadeHost made;
  made.write("proc/stat", "btime 1000\n");
  made.write("proc/7/stat", stat("trainer", 100, 500, 10));
  made.write("proc/7/io", io(1000, 0));
  made.write("proc/7/cmdline", std::string_view("python3\0train.py\0", 17));
  ProcessSampler sampler(made.host());
  sampler.sample(seconds(0));
  made.write("proc/7/stat", stat("trainer", 500, 500, 30));
  made.write("proc/7/io", io(5000, 8000));

  const auto usages = sampler.sample(seconds(2));

  ASSERT_EQ(usages.size(), 1U);
  const auto& usage = usages[0];
  const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  EXPECT_EQ(usage.pid, 7);
  EXPECT_EQ(usage.name, "trainer");
  EXPECT_EQ(usage.command, "python3 train.py");
  EXPECT_EQ(usage.state, "R");
  EXPECT_DOUBLE_EQ(usage.cpu_cores, 2);
  EXPECT_DOUBLE_EQ(usage.read_bytes_per_second, 2000);
  EXPECT_DOUBLE_EQ(usage.write_bytes_per_second, 4000);
  EXPECT_DOUBLE_EQ(usage.rss_bytes, 30 * page);
  EXPECT_DOUBLE_EQ(usage.rss_growth_bytes_per_second, 10 * page);
  EXPECT_EQ(usage.start_time_ns, 1005'000'000'000);
}

TEST(ProcessSampler, a_name_may_hold_blanks_parentheses_and_newlines) {
  const MadeHost made;
  ProcessSampler sampler(made.host());
  sampler.sample(seconds(0));
  made.write("proc/7/stat", stat("a) R (b\nc)", 100, 5, 1));

  const auto usages = sampler.sample(seconds(1));

  ASSERT_EQ(usages.size(), 1U);
  EXPECT_EQ(usages[0].name, "a) R (b\nc)");
  EXPECT_DOUBLE_EQ(usages[0].cpu_cores, 1);
}

TEST(ProcessSampler, the_same_pid_with_another_start_is_another_process) {
  const MadeHost made;
  made.write("proc/7/stat", stat("old", 90'000, 10, 1));
  ProcessSampler sampler(made.host());
  sampler.sample(seconds(0));
  made.write("proc/7/stat", stat("new", 50, 9000, 1));

  const auto usages = sampler.sample(seconds(1));

  ASSERT_EQ(usages.size(), 1U);
  EXPECT_DOUBLE_EQ(usages[0].cpu_cores, 0.5) << "counts from its own start";
}

TEST(ProcessSampler, unreadable_io_is_not_a_number_rather_than_zero) {
  const MadeHost made;
  made.write("proc/7/stat", stat("x", 1, 10, 1));
  ProcessSampler sampler(made.host());
  sampler.sample(seconds(0));

  const auto usages = sampler.sample(seconds(1));

  ASSERT_EQ(usages.size(), 1U);
  EXPECT_TRUE(std::isnan(usages[0].read_bytes_per_second));
  EXPECT_TRUE(std::isnan(usages[0].write_bytes_per_second));
}

TEST(ProcessSampler, a_process_that_vanishes_or_is_torn_mid_read_is_left_out) {
  const MadeHost made;
  made.write("proc/7/stat", stat("x", 1, 10, 1));
  made.write("proc/8/stat", "8 (torn) R 1 2");
  made.write("proc/9/io", io(1, 1));  // no stat any more
  ProcessSampler sampler(made.host());
  sampler.sample(seconds(0));

  EXPECT_EQ(sampler.sample(seconds(1)).size(), 1U);
}

TEST(ProcessSampler, kernel_threads_are_left_out) {
  const MadeHost made;
  made.write("proc/2/stat", stat("kthreadd", 1, 0, 0, 0x00200000));
  made.write("proc/2/task/2/children", "3 \n");
  made.write("proc/3/stat", stat("listed", 1, 0, 0, 0x00200000));
  made.write("proc/4/stat", stat("not listed", 1, 0, 0, 0x00200000));
  made.write("proc/7/stat", stat("x", 1, 10, 1));
  ProcessSampler sampler(made.host());
  sampler.sample(seconds(0));

  const auto usages = sampler.sample(seconds(1));

  ASSERT_EQ(usages.size(), 1U);
  EXPECT_EQ(usages[0].name, "x");
}

TEST(ProcessSampler, in_a_container_process_two_is_a_process_like_any_other) {
  const MadeHost made;
  made.write("proc/2/stat", stat("shell", 1, 0, 1));
  made.write("proc/2/task/2/children", "3 \n");
  made.write("proc/3/stat", stat("child", 1, 0, 1));
  ProcessSampler sampler(made.host());
  sampler.sample(seconds(0));

  EXPECT_EQ(sampler.sample(seconds(1)).size(), 2U);
}

TEST(ProcessSampler, sees_this_very_process) {
  ProcessSampler sampler({.root = "/"});
  sampler.sample(seconds(0));

  for (const auto& usage : sampler.sample(seconds(1))) {
    if (usage.pid != ::getpid()) continue;
    EXPECT_GT(usage.rss_bytes, 1e6);
    EXPECT_GT(usage.start_time_ns, 0);
    return;
  }
  FAIL() << "not among the processes";
}

}  // namespace
}  // namespace auscult::collect
