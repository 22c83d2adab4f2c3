#include "model/sample.h"

#include <gtest/gtest.h>

#include <cmath>

namespace auscult::model {
namespace {

Sample io_time() {
  return {.metric = "node_disk_io_time_seconds_total",
          .labels = {{"device", "sda"}},
          .tags = {.node_id = "n1"},
          .timestamp_ns = 1'700'000'000'123'456'789,
          .value = 12.5,
          .kind = MetricKind::counter};
}

TEST(Sample, prints_as_prometheus_text_sorted_with_types_and_tags_as_labels) {
  Sample other = io_time();
  other.labels = {{"device", "nvme0n1"}};
  const Sample load = {.metric = "node_load1", .value = 0.25};

  EXPECT_EQ(to_prometheus_text({load, io_time(), other}, true),
            "# TYPE node_disk_io_time_seconds_total counter\n"
            "node_disk_io_time_seconds_total{device=\"nvme0n1\",node_id=\"n1\"} 12.5 "
            "1700000000123\n"
            "node_disk_io_time_seconds_total{device=\"sda\",node_id=\"n1\"} 12.5 1700000000123\n"
            "# TYPE node_load1 gauge\n"
            "node_load1 0.25 0\n");
  EXPECT_EQ(to_prometheus_text({load}, false), "# TYPE node_load1 gauge\nnode_load1 0.25\n");
  EXPECT_EQ(to_prometheus_text({}, false), "");
}

TEST(Sample, label_values_are_escaped) {
  const Sample sample = {.metric = "m", .labels = {{"path", "C:\\a \"b\"\nc"}}, .value = 1};
  EXPECT_EQ(to_prometheus_text({sample}, false),
            "# TYPE m gauge\nm{path=\"C:\\\\a \\\"b\\\"\\nc\"} 1\n");
}

TEST(Sample, values_that_are_no_number_have_prometheus_names) {
  const auto printed = [](double value) {
    const std::string text = to_prometheus_text({{.metric = "m", .value = value}}, false);
    return text.substr(text.rfind(' '));
  };
  EXPECT_EQ(printed(std::nan("")), " NaN\n");
  EXPECT_EQ(printed(INFINITY), " +Inf\n");
  EXPECT_EQ(printed(-INFINITY), " -Inf\n");
  EXPECT_EQ(printed(0.1 + 0.2), " 0.30000000000000004\n");
}

TEST(Sample, a_tag_wins_over_a_label_of_its_name) {
  const Sample sample = {.metric = "m", .labels = {{"rank", "9"}}, .tags = {.rank = "3"}};
  EXPECT_EQ(to_prometheus_text({sample}, false), "# TYPE m gauge\nm{rank=\"3\"} 0\n");
}

}  // namespace
}  // namespace auscult::model
