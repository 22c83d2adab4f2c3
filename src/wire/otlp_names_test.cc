#include "wire/otlp_names.h"

#include <gtest/gtest.h>

namespace auscult::wire {
namespace {

TEST(MetricName, a_name_in_prometheus_form_stays) {
  for (const char* name : {"node_cpu_seconds_total", "DCGM_FI_DEV_GPU_TEMP", "auscult__x_", "_x",
                           "job:rate5m", "node_memory_MemAvailable_bytes"}) {
    EXPECT_EQ(metric_name(name, "", NamedAs::gauge), name);
  }
  EXPECT_EQ(metric_name("node_cpu_seconds_total", "", NamedAs::monotonic_sum),
            "node_cpu_seconds_total");
  EXPECT_EQ(metric_name("DCGM_FI_DEV_PCIE_REPLAY_COUNTER", "", NamedAs::monotonic_sum),
            "DCGM_FI_DEV_PCIE_REPLAY_COUNTER");
}

TEST(MetricName, a_prometheus_name_with_its_own_unit_stays) {
  EXPECT_EQ(metric_name("node_cpu_seconds_total", "s", NamedAs::monotonic_sum),
            "node_cpu_seconds_total");
  EXPECT_EQ(metric_name("node_disk_read_bytes_total", "bytes", NamedAs::monotonic_sum),
            "node_disk_read_bytes_total");
}

// The expected names are those of the OpenTelemetry specification, "Prometheus and OpenMetrics
// Compatibility", and of its examples.
TEST(MetricName, units_become_suffixes) {
  EXPECT_EQ(metric_name("http.server.duration", "s", NamedAs::other),
            "http_server_duration_seconds");
  EXPECT_EQ(metric_name("system.disk.io", "By", NamedAs::monotonic_sum),
            "system_disk_io_bytes_total");
  EXPECT_EQ(metric_name("system.network.io", "By/s", NamedAs::gauge),
            "system_network_io_bytes_per_second");
  EXPECT_EQ(metric_name("hw.temperature", "Cel", NamedAs::gauge), "hw_temperature_celsius");
  EXPECT_EQ(metric_name("system.memory.utilization", "1", NamedAs::gauge),
            "system_memory_utilization_ratio");
  EXPECT_EQ(metric_name("requests", "1", NamedAs::monotonic_sum), "requests_total");
  EXPECT_EQ(metric_name("requests", "{request}", NamedAs::monotonic_sum), "requests_total");
  EXPECT_EQ(metric_name("requests", "{request}/s", NamedAs::gauge), "requests_per_second");
  EXPECT_EQ(metric_name("cpu", "%", NamedAs::gauge), "cpu_percent");
}

TEST(MetricName, the_words_of_a_unit_are_not_repeated) {
  EXPECT_EQ(metric_name("wait.seconds", "s", NamedAs::gauge), "wait_seconds");
  EXPECT_EQ(metric_name("total.requests", "", NamedAs::monotonic_sum), "requests_total");
  EXPECT_EQ(metric_name("cpu.ratio", "1", NamedAs::gauge), "cpu_ratio");
}

TEST(MetricName, what_is_not_allowed_becomes_one_underscore) {
  EXPECT_EQ(metric_name("a..b--c d", "", NamedAs::gauge), "a_b_c_d");
  EXPECT_EQ(metric_name("3d.render", "", NamedAs::gauge), "_3d_render");
  EXPECT_EQ(metric_name("温度.gpu", "", NamedAs::gauge), "gpu");
  EXPECT_EQ(metric_name("温度", "s", NamedAs::gauge), "");
  EXPECT_EQ(metric_name("", "", NamedAs::gauge), "");
}

TEST(LabelName, what_is_not_allowed_becomes_an_underscore) {
  EXPECT_EQ(label_name("k8s.pod.name"), "k8s_pod_name");
  EXPECT_EQ(label_name("1st"), "key_1st");
  EXPECT_EQ(label_name("a:b"), "a_b");
  EXPECT_EQ(label_name("__x"), "__x");
}

TEST(LabelName, a_name_that_becomes_a_tag_does_not_replace_it) {
  EXPECT_EQ(label_name("node.id"), "exported_node_id");
  EXPECT_EQ(label_name("job-id"), "exported_job_id");
  EXPECT_EQ(label_name("__name__"), "exported___name__");
}

}  // namespace
}  // namespace auscult::wire
