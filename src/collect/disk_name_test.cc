#include "collect/disk_name.h"

#include <gtest/gtest.h>

namespace auscult::collect {
namespace {

TEST(DiskName, partitions_loops_and_ram_disks_are_minor) {
  for (const auto* name : {"sda1", "vdb12", "xvdc3", "hda9", "nvme0n1p2", "nvme10n2p11", "loop7",
                           "ram15", "zram0", "fd0"}) {
    EXPECT_TRUE(is_minor_disk(name)) << name;
  }
}

TEST(DiskName, whole_disks_and_other_kinds_are_not) {
  for (const auto* name : {"sda", "vda", "nvme0n1", "dm-0", "md127", "mmcblk0p1", "sdaa1", "sr0",
                           "nvme0n1p", "loop", "ramdisk1", "", "1"}) {
    EXPECT_FALSE(is_minor_disk(name)) << name;
  }
}

}  // namespace
}  // namespace auscult::collect
