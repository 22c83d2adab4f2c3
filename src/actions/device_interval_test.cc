#include "actions/device_interval.h"

#include <gtest/gtest.h>

namespace auscult::actions {
namespace {

const bench::DiskCounters before = {
    .device = "sda", .reads = 10, .writes = 5, .read_bytes = 4096, .read_ms = 20, .busy_ms = 100};
const bench::DiskCounters after = {.device = "sda",
                                   .reads = 30,
                                   .writes = 15,
                                   .read_bytes = 12288,
                                   .write_bytes = 1024,
                                   .read_ms = 60,
                                   .write_ms = 20,
                                   .busy_ms = 1100};

TEST(DeviceInterval, totals_are_differences) {
  const Json json = interval_totals(before, after, 2);
  EXPECT_EQ(json["device"].string_or(""), "sda");
  EXPECT_EQ(json["seconds"].number_or(0), 2);
  EXPECT_EQ(json["reads"].number_or(0), 20);
  EXPECT_EQ(json["writes"].number_or(0), 10);
  EXPECT_EQ(json["read_bytes"].number_or(0), 8192);
  EXPECT_EQ(json["write_bytes"].number_or(0), 1024);
  EXPECT_EQ(json["busy_ratio"].number_or(0), 0.5);
  EXPECT_EQ(json["await_ms"].number_or(0), 2);  // (40 + 20) ms over 30 requests
}

TEST(DeviceInterval, rates_are_per_second) {
  const Json json = interval_rates(before, after, 2);
  EXPECT_EQ(json["reads_per_second"].number_or(0), 10);
  EXPECT_EQ(json["read_bytes_per_second"].number_or(0), 4096);
  EXPECT_EQ(json["write_bytes_per_second"].number_or(0), 512);
  EXPECT_EQ(json["busy_ratio"].number_or(0), 0.5);
}

TEST(DeviceInterval, without_requests_there_is_no_await_and_busy_never_exceeds_one) {
  EXPECT_TRUE(interval_totals(after, after, 1)["await_ms"].is_null());
  EXPECT_EQ(interval_totals(before, after, 0.5)["busy_ratio"].number_or(0), 1);
}

}  // namespace
}  // namespace auscult::actions
