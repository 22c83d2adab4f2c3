#include "logs/kmsg.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

namespace auscult::logs {
namespace {

TEST(ParseKmsg, continuation_lines_are_fields_and_escapes_are_undone) {
  const auto message = parse_kmsg(
      "3,1234,5140900,-;nvme nvme0: I/O 12\\x0atimeout\n SUBSYSTEM=pci\n DEVICE=+pci:0000:01\n");

  ASSERT_TRUE(message);
  EXPECT_EQ(message->priority, 3);
  EXPECT_EQ(message->facility, 0);
  EXPECT_EQ(message->sequence, 1234U);
  EXPECT_EQ(message->boot_us, 5140900);
  EXPECT_EQ(message->text, "nvme nvme0: I/O 12\ntimeout");
  EXPECT_EQ(message->fields, (model::Labels{{"DEVICE", "+pci:0000:01"}, {"SUBSYSTEM", "pci"}}));
}

TEST(ParseKmsg, a_semicolon_and_a_comma_may_be_in_the_text_and_more_values_before_it) {
  const auto message = parse_kmsg("30,1,2,c,caller=T1;a;b,c\n");

  ASSERT_TRUE(message);
  EXPECT_EQ(message->facility, 3);
  EXPECT_EQ(message->priority, 6);
  EXPECT_EQ(message->text, "a;b,c");
}

TEST(ParseKmsg, what_is_no_record_is_refused) {
  for (const auto* text : {"", "plain text", "1,2;x", "a,1,2,-;x", "1,,2,-;x", "-1,1,2,-;x"}) {
    EXPECT_FALSE(parse_kmsg(text)) << text;
  }
}

// A descriptor that gives one record a read, as /dev/kmsg does.
class KernelLogTest : public testing::Test {
 protected:
  KernelLogTest() {
    std::array<int, 2> fds{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fds.data()), 0);
    read_end_ = FileDescriptor(fds[0]);
    write_end_ = FileDescriptor(fds[1]);
  }
  void say(const std::string& record) const {
    ASSERT_EQ(::send(write_end_.get(), record.data(), record.size(), 0),
              static_cast<ssize_t>(record.size()));
  }

  // The monotonic clock reads the same as the wall clock here: the host booted at the epoch.
  ManualClock clock_{100 * ns_per_s};
  FileDescriptor read_end_, write_end_;
};

TEST_F(KernelLogTest, time_since_boot_becomes_wall_time_and_priority_severity) {
  KernelLog log(std::move(read_end_), "boot-a");
  say("4,10,90500000,-;oom-kill: task trainer\n");

  const auto records = log.poll(clock_, 10);

  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].body, "oom-kill: task trainer");
  EXPECT_EQ(records[0].source, "kernel");
  EXPECT_EQ(records[0].severity, 13);
  EXPECT_EQ(records[0].timestamp_ns, 90'500'000'000);
  EXPECT_EQ(records[0].observed_ns, 100 * ns_per_s);
}

TEST_F(KernelLogTest, gaps_in_the_sequence_are_counted) {
  KernelLog log(std::move(read_end_), "boot-a");
  say("6,10,1,-;a");
  say("6,11,1,-;b");
  say("6,15,1,-;c");

  EXPECT_EQ(log.poll(clock_, 10).size(), 3U);
  EXPECT_EQ(log.lost(), 3U);
}

TEST_F(KernelLogTest, a_restarted_reader_leaves_out_what_was_given_before_in_the_same_boot) {
  KernelLog log(std::move(read_end_), "boot-a");
  log.resume(kernel_log_position_from_json(to_json({.boot_id = "boot-a", .next_sequence = 11})));
  say("6,10,1,-;a");
  say("6,11,1,-;b");

  const auto records = log.poll(clock_, 10);

  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].body, "b");
  EXPECT_EQ(log.lost(), 0U);
}

TEST_F(KernelLogTest, after_a_reboot_the_sequence_counts_anew) {
  KernelLog log(std::move(read_end_), "boot-b");
  log.resume({.boot_id = "boot-a", .next_sequence = 5000});
  say("6,0,1,-;a");

  EXPECT_EQ(log.poll(clock_, 10).size(), 1U);
}

TEST_F(KernelLogTest, one_poll_gives_a_bounded_number) {
  KernelLog log(std::move(read_end_), "boot-a");
  for (int i = 0; i < 5; ++i) say("6," + std::to_string(i) + ",1,-;x");

  EXPECT_EQ(log.poll(clock_, 3).size(), 3U);
  EXPECT_EQ(log.poll(clock_, 3).size(), 2U);
}

TEST(KernelLog, a_path_that_cannot_be_opened_is_named) {
  const auto log = KernelLog::open("/nonexistent/kmsg", "boot");
  ASSERT_FALSE(log);
  EXPECT_NE(log.error().message.find("/nonexistent/kmsg"), std::string::npos);
}

}  // namespace
}  // namespace auscult::logs
