#include "bench/host.h"

#include <gtest/gtest.h>

#include "bench/host_tree.h"

namespace auscult::bench {
namespace {

constexpr std::string_view mountinfo =
    "21 27 0:20 / /proc rw - proc proc rw\n"
    "27 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw\n"
    "30 27 0:25 / /dev/shm rw - tmpfs tmpfs rw\n"
    "31 27 259:3 / /data rw - xfs /dev/nvme1n1 rw\n"
    "32 27 0:41 / /data/my\\040files rw - btrfs /dev/nvme2n1 rw\n";

// Fields of the kernel's Documentation/admin-guide/iostats.rst.
constexpr std::string_view diskstats =
    " 259 0 nvme0n1 10 0 80 5 20 0 160 7 0 12 12 0 0 0 0 0 0\n"
    " 259 2 nvme0n1p2 9 0 72 4 18 0 144 6 0 11 10 0 0 0 0 0 0\n"
    " 259 3 nvme1n1 1 0 8 1 2 0 16 2 0 3 3 0 0 0 0 0 0\n"
    " 259 4 nvme2n1 1 0 8 1 2 0 16 2 0 3 3 0 0 0 0 0 0\n";

class Host : public testing::Test {
 protected:
  Host() : tree_(testing::TempDir()) {
    tree_.write("proc/self/mountinfo", mountinfo).write("proc/diskstats", diskstats);
  }
  HostTree tree_;
};

TEST_F(Host, the_deepest_mount_holds_a_folder) {
  EXPECT_EQ(mount_of("/data/scratch", tree_.root())->point, "/data");
  EXPECT_EQ(mount_of("/database", tree_.root())->point, "/");
  EXPECT_EQ(mount_of("/data/my files/x", tree_.root())->point, "/data/my files");
  EXPECT_EQ(mount_of("/dev/shm", tree_.root())->file_system, "tmpfs");
}

TEST_F(Host, the_later_of_two_mounts_on_one_point_is_the_visible_one) {
  tree_.write("proc/self/mountinfo",
              std::string(mountinfo) + "40 27 0:50 / /data rw - tmpfs tmpfs rw\n");
  EXPECT_EQ(mount_of("/data/x", tree_.root())->file_system, "tmpfs");
}

TEST_F(Host, the_block_device_is_found_by_number_or_by_source) {
  EXPECT_EQ(block_device_of("/home", tree_.root()), "nvme0n1p2");
  EXPECT_EQ(block_device_of("/data/my files", tree_.root()), "nvme2n1");
  EXPECT_EQ(block_device_of("/dev/shm/x", tree_.root()), std::nullopt);
}

TEST_F(Host, a_partition_belongs_to_its_disk) {
  tree_.write("sys/devices/pci/nvme/nvme0n1/nvme0n1p2/partition", "2\n");
  std::filesystem::create_directories(tree_.root() / "sys/class/block");
  std::filesystem::create_directory_symlink("../../devices/pci/nvme/nvme0n1/nvme0n1p2",
                                            tree_.root() / "sys/class/block/nvme0n1p2");

  EXPECT_EQ(whole_disk("nvme0n1p2", tree_.root()), "nvme0n1");
  EXPECT_EQ(whole_disk("nvme1n1", tree_.root()), "nvme1n1");
}

TEST_F(Host, disk_counters_are_in_bytes_and_subtract) {
  const auto before = disk_counters_of("nvme0n1", tree_.root());
  ASSERT_TRUE(before);
  EXPECT_EQ(before->read_bytes, 80 * 512);
  EXPECT_EQ(before->writes, 20);
  EXPECT_EQ(before->busy_ms, 12);

  tree_.write("proc/diskstats", " 259 0 nvme0n1 14 0 88 15 20 0 160 7 0 22 22 0 0 0 0\n");
  const auto interval = *disk_counters_of("nvme0n1", tree_.root()) - *before;
  EXPECT_EQ(interval.reads, 4);
  EXPECT_EQ(interval.read_bytes, 8 * 512);
  EXPECT_EQ(interval.busy_ms, 10);
  EXPECT_EQ(await_ms(interval), 2.5);
  EXPECT_EQ(await_ms({}), std::nullopt);
  EXPECT_FALSE(disk_counters_of("sda", tree_.root()));
}

TEST_F(Host, cpu_times_leave_guests_out_because_user_has_them) {
  tree_.write("proc/stat",
              "cpu  100 10 50 800 30 1 2 7 60 5\ncpu0 50 5 25 400 15 0 1 3 30 2\n"
              "cpu1 50 5 25 400 15 1 1 4 30 3\nintr 1\n");
  const auto times = cpu_times(tree_.root());
  ASSERT_TRUE(times);
  EXPECT_EQ(times->total, 1000);
  EXPECT_EQ(times->idle, 800);
  EXPECT_EQ(times->io_wait, 30);
  EXPECT_EQ(times->steal, 7);
  EXPECT_EQ(cpu_count(tree_.root()), 2);
}

TEST_F(Host, memory_and_caches_are_in_bytes) {
  tree_.write("proc/meminfo", "MemTotal:  2048 kB\nMemFree: 1 kB\nMemAvailable:  1024 kB\n");
  tree_.write("sys/devices/system/cpu/cpu0/cache/index0/size", "32K\n");
  tree_.write("sys/devices/system/cpu/cpu0/cache/index3/size", "1024K\n");

  EXPECT_EQ(memory(tree_.root())->total_bytes, 2097152);
  EXPECT_EQ(memory(tree_.root())->available_bytes, 1048576);
  EXPECT_EQ(last_level_cache_bytes(tree_.root()), 1048576);
}

TEST(HostWithoutProc, gives_nothing_instead_of_zeros) {
  const HostTree empty(testing::TempDir());
  EXPECT_FALSE(mount_of("/", empty.root()));
  EXPECT_FALSE(block_device_of("/", empty.root()));
  EXPECT_FALSE(cpu_times(empty.root()));
  EXPECT_FALSE(memory(empty.root()));
  EXPECT_FALSE(last_level_cache_bytes(empty.root()));
  EXPECT_EQ(first_line(empty.root() / "x"), "");
}

}  // namespace
}  // namespace auscult::bench
