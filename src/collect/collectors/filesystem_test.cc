#include <gtest/gtest.h>

#include "collect/testing.h"

namespace auscult::collect {

Collector filesystem();

namespace {

TEST(Filesystem, a_recorded_host_tells_what_is_mounted_but_no_sizes) {
  const auto samples = filesystem().read(machine("gpu_node"));

  ASSERT_TRUE(samples) << samples.error().message;
  const auto series = by_series(*samples);
  EXPECT_EQ(
      series.at(
          R"(node_filesystem_readonly{device="/dev/nvme0n1p1",fstype="ext4",mountpoint="/"})"),
      0);
  EXPECT_EQ(
      series.at(
          R"(node_filesystem_readonly{device="/dev/sda",fstype="xfs",mountpoint="/data set"})"),
      1);
  EXPECT_EQ(
      series.at(
          R"(node_filesystem_readonly{device="server:/export",fstype="nfs4",mountpoint="/shared"})"),
      0);
  EXPECT_EQ(series.size(), 3U) << "sysfs has no space of its own";
}

TEST(Filesystem, this_host_has_sizes_for_what_can_be_asked) {
  const auto samples = filesystem().read({.root = "/"});

  ASSERT_TRUE(samples) << samples.error().message;
  double available = 0;
  for (const auto& [name, value] : by_series(*samples)) {
    if (name.starts_with("node_filesystem_avail_bytes")) available = std::max(available, value);
    EXPECT_EQ(name.find("fstype=\"proc\""), std::string::npos) << name;
  }
  if (samples->empty()) GTEST_SKIP() << "nothing but overlays is mounted here";
  EXPECT_GT(available, 0);
}

TEST(Filesystem, a_host_without_it_gives_nothing_and_no_error) {
  const MadeHost made;

  const auto samples = filesystem().read(made.host());

  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_TRUE(samples->empty());
}

TEST(Filesystem, a_truncated_line_is_named) {
  const MadeHost made;
  made.write("proc/1/mountinfo", "29 1 259:1 / / rw\n");

  const auto samples = filesystem().read(made.host());

  ASSERT_FALSE(samples);
  EXPECT_EQ(samples.error().code, ErrorCode::corrupt);
  EXPECT_NE(samples.error().message.find("mountinfo:1"), std::string::npos)
      << samples.error().message;
}

}  // namespace
}  // namespace auscult::collect
