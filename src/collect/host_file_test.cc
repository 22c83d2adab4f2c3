#include "collect/host_file.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>

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

TEST(HostFile, a_file_of_proc_kept_open_is_read_anew_each_time) {
  OpenFiles open_files;
  const Host host = {.root = "/", .open_files = &open_files};
  const auto first = read_host_file(host, "proc/self/stat");
  ASSERT_TRUE(first && !first->empty());
  volatile uint64_t sum = 0;
  for (uint64_t i = 0; i < 100'000'000; ++i) sum = sum + i;  // some ticks of CPU
  const auto second = read_host_file(host, "proc/self/stat");

  ASSERT_TRUE(second);
  EXPECT_EQ(open_files.size(), 1U);
  EXPECT_NE(*first, *second);
  EXPECT_EQ(first->substr(0, 4), second->substr(0, 4)) << "from its beginning";
}

TEST(HostFile, only_what_the_kernel_shows_is_kept_open) {
  const MadeHost made;
  OpenFiles open_files;
  const Host host = {.root = made.host().root, .open_files = &open_files};
  made.write("run/udev/data/b8:0", "E:A=1");
  made.write("proc/loadavg", "1");
  EXPECT_EQ(*read_host_file(host, "run/udev/data/b8:0"), "E:A=1");
  EXPECT_EQ(*read_host_file(host, "proc/loadavg"), "1");

  EXPECT_EQ(open_files.size(), 1U);
  made.write("run/udev/data/b8:0", "E:A=2");
  EXPECT_EQ(*read_host_file(host, "run/udev/data/b8:0"), "E:A=2");
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

TEST(HostFile, a_kept_file_is_read_anew_and_a_replaced_folder_is_noticed) {
  const auto root = std::filesystem::path(testing::TempDir()) / "kept";
  std::filesystem::remove_all(root);
  std::filesystem::create_directories(root / "net/eth0");
  ASSERT_TRUE(write_file(root / "net/eth0/mtu", "1500\n"));
  OpenFiles open_files;
  const Host host{.root = root, .open_files = &open_files};
  const Folder net(root / "net");
  EXPECT_EQ(Folder(net, "eth0", host).number("mtu"), 1500);
  EXPECT_EQ(open_files.size(), 1U);

  // In place, as the kernel's files change: write_file() would put another file there.
  std::ofstream(root / "net/eth0/mtu") << "9000\n";
  EXPECT_EQ(Folder(net, "eth0", host).number("mtu"), 9000);
  std::filesystem::rename(root / "net/eth0", root / "net/eth1");
  std::filesystem::create_directories(root / "net/eth0");
  ASSERT_TRUE(write_file(root / "net/eth0/mtu", "1400\n"));
  EXPECT_EQ(Folder(net, "eth0", host).number("mtu"), 1400);
  EXPECT_EQ(Folder(net, "eth1", host).number("mtu"), 9000);
  std::filesystem::remove_all(root);
}

TEST(HostFile, many_interfaces_do_not_use_up_the_descriptors) {
  const auto root = std::filesystem::path(testing::TempDir()) / "many";
  std::filesystem::remove_all(root);
  OpenFiles open_files;
  const Host host{.root = root, .open_files = &open_files};
  for (size_t i = 0; i < max_kept_files + 50; ++i) {
    const auto name = "veth" + std::to_string(i);
    std::filesystem::create_directories(root / "net" / name);
    ASSERT_TRUE(write_file(root / "net" / name / "mtu", "1500\n"));
    EXPECT_EQ(Folder(Folder(root / "net"), name, host).number("mtu"), 1500);
    EXPECT_LE(open_files.size(), max_kept_files);
  }
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace auscult::collect
