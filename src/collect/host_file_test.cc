#include "collect/host_file.h"

#include <gtest/gtest.h>

#include "collect/testing.h"

namespace auscult::collect {
namespace {

TEST(HostFile, a_file_longer_than_one_read_is_whole_and_a_missing_one_is_empty) {
  const MadeHost made;
  const std::string long_text(100'000, 'x');
  made.write("proc/long", long_text);

  EXPECT_EQ(*read_host_file(made.host(), "proc/long"), long_text);
  EXPECT_EQ(*read_host_file(made.host(), "proc/none"), "");
  EXPECT_FALSE(read_host_file(made.host(), "proc")) << "a folder is no file";
}

TEST(HostFile, a_file_beyond_the_bound_is_refused) {
  const MadeHost made;
  made.write("proc/huge", std::string(9 << 20, 'x'));
  EXPECT_FALSE(read_host_file(made.host(), "proc/huge"));
}

TEST(HostFile, values_of_a_folder_are_trimmed_and_what_is_absent_is_nothing) {
  const MadeHost made;
  made.write("sys/queue/rotational", "1\n");
  made.write("sys/queue/scheduler", "none\n");
  const Folder sys(made.host().root / "sys");
  const Folder queue(sys, "queue");

  EXPECT_EQ(queue.number("rotational"), 1);
  EXPECT_EQ(queue.value("scheduler"), "none");
  EXPECT_FALSE(queue.number("scheduler"));
  EXPECT_FALSE(queue.value("absent"));
  EXPECT_FALSE(Folder(sys, "absent"));
  EXPECT_FALSE(Folder(sys, "absent").value("rotational"));
}

}  // namespace
}  // namespace auscult::collect
