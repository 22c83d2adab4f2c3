#include "wire/otlp_labels.h"

#include <gtest/gtest.h>

#include "wire/testing_otlp.h"

namespace auscult::wire {
namespace {

using model::Labels;

MetricResource resource_with(const Labels& attributes) {
  std::string message;
  for (const auto& [key, value] : attributes) {
    message += field(1, field(1, key) + field(2, field(1, value)));
  }
  return metric_resource_from(message, test_options());
}

TEST(MetricLabels, an_instance_with_a_port_stays_beside_the_node_it_means) {
  Labels with_port = {{"instance", "n1:9400"}};
  EXPECT_EQ(take_metric_tags(with_port).node_id, "n1");
  EXPECT_EQ(with_port, (Labels{{"instance", "n1:9400"}}));
  Labels without = {{"instance", "n1"}};
  EXPECT_EQ(take_metric_tags(without).node_id, "n1");
  EXPECT_TRUE(without.empty());
}

TEST(MetricLabels, a_service_instance_names_the_node_only_as_host_and_port) {
  EXPECT_EQ(resource_with({{"service.instance.id", "n1:80"}}).tags.node_id, "n1");
  EXPECT_EQ(resource_with({{"service.instance.id", "[fe80::1]:80"}}).tags.node_id, "fe80::1");
  for (const char* id : {"0e6b5f", "pod:container", ":80", "n1:", ""}) {
    EXPECT_EQ(resource_with({{"service.instance.id", id}}).tags.node_id, "") << id;
  }
}

TEST(MetricLabels, of_a_resource_only_job_and_instance_become_labels) {
  const auto resource = resource_with({{"service.name", "a"}, {"os.type", "linux"}, {"rank", "3"}});
  EXPECT_EQ(resource.labels, (Labels{{"job", "a"}}));
  EXPECT_EQ(resource.tags.rank, "3");
}

TEST(MetricLabels, equal_names_are_joined_and_empty_values_left_out) {
  Labels labels = {{"a.b", "1"}, {"a_b", "2"}, {"c", ""}, {"d-e", "3"}};
  to_prometheus(labels);
  EXPECT_EQ(labels, (Labels{{"a_b", "1;2"}, {"d_e", "3"}}));
}

TEST(MetricLabels, set_label_keeps_the_order) {
  Labels labels = {{"a", "1"}, {"c", "3"}};
  set_label(labels, "b", "2", false);
  set_label(labels, "c", "x", false);
  set_label(labels, "a", "x", true);
  set_label(labels, "d", "4", true);
  EXPECT_EQ(labels, (Labels{{"a", "x"}, {"b", "2"}, {"c", "3"}, {"d", "4"}}));
}

}  // namespace
}  // namespace auscult::wire
