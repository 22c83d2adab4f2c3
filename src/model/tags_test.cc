#include "model/tags.h"

#include <gtest/gtest.h>

namespace auscult::model {
namespace {

Tags taken(Labels attributes) { return take_tags(attributes); }

TEST(Tags, what_other_systems_call_a_tag_is_taken) {
  EXPECT_EQ(taken({{"host.name", "n1"}}).node_id, "n1");
  EXPECT_EQ(taken({{"k8s.node.name", "n1"}}).node_id, "n1");
  EXPECT_EQ(taken({{"Hostname", "n1"}}).node_id, "n1");
  EXPECT_EQ(taken({{"k8s.cluster.name", "c1"}}).cluster, "c1");
  EXPECT_EQ(taken({{"slurm.job.id", "77"}}).job_id, "77");
  EXPECT_EQ(taken({{"k8s.job.name", "train"}}).job_id, "train");
}

TEST(Tags, all_six_are_taken_by_their_own_name_and_the_rest_stays) {
  Labels attributes = {{"cluster", "c"},    {"device", "sda"}, {"gpu", "gpu0"}, {"job_id", "j"},
                       {"model_name", "m"}, {"node_id", "n"},  {"rank", "3"},   {"ranking", "9"}};
  const Tags tags = take_tags(attributes);
  EXPECT_EQ(tags, (Tags{.cluster = "c",
                        .node_id = "n",
                        .job_id = "j",
                        .model_name = "m",
                        .rank = "3",
                        .gpu = "gpu0"}));
  EXPECT_EQ(attributes, (Labels{{"device", "sda"}, {"ranking", "9"}}));
}

TEST(Tags, the_own_name_wins_then_the_best_source) {
  EXPECT_EQ(taken({{"host.name", "b"}, {"node_id", "a"}}).node_id, "a");
  EXPECT_EQ(taken({{"Hostname", "c"}, {"host.name", "b"}, {"instance", "d:1"}}).node_id, "b");
  EXPECT_EQ(taken({{"host.name", ""}, {"instance", "d:1"}}).node_id, "d");
}

TEST(Tags, an_instance_loses_its_port_also_with_ipv6) {
  EXPECT_EQ(taken({{"instance", "node7:9100"}}).node_id, "node7");
  EXPECT_EQ(taken({{"instance", "node7"}}).node_id, "node7");
  EXPECT_EQ(taken({{"instance", "10.0.0.7:9100"}}).node_id, "10.0.0.7");
  EXPECT_EQ(taken({{"instance", "[fe80::1]:9100"}}).node_id, "fe80::1");
  EXPECT_EQ(taken({{"instance", "fe80::1"}}).node_id, "fe80::1");
  EXPECT_EQ(taken({{"instance", "[fe80::1"}}).node_id, "fe80::1");
  EXPECT_EQ(taken({{"instance", ""}}).node_id, "");
  // A host name is no address: its colons, where it has any, are its own.
  EXPECT_EQ(taken({{"host.name", "node7:9100"}}).node_id, "node7:9100");
}

TEST(Tags, torchruns_default_run_id_names_no_job) {
  EXPECT_EQ(taken({{"TORCHELASTIC_RUN_ID", "none"}}).job_id, "");
  EXPECT_EQ(taken({{"TORCHELASTIC_RUN_ID", "run9"}}).job_id, "run9");
  EXPECT_EQ(taken({{"job_id", "none"}}).job_id, "none");
}

TEST(Tags, a_gpu_index_becomes_the_name_of_the_gpu) {
  EXPECT_EQ(taken({{"gpu", "0"}}).gpu, "gpu0");
  EXPECT_EQ(taken({{"gpu", "gpu12"}}).gpu, "gpu12");
  EXPECT_EQ(taken({{"gpu", ""}}).gpu, "");
}

TEST(Tags, labels_are_sorted_and_a_repeated_name_keeps_its_last_value) {
  Labels labels = {{"b", "1"}, {"a", "2"}, {"b", "3"}, {"b", "4"}};
  normalise(labels);
  EXPECT_EQ(labels, (Labels{{"a", "2"}, {"b", "4"}}));
  EXPECT_EQ(label(labels, "b"), "4");
  EXPECT_EQ(label(labels, "c"), "");
}

TEST(Tags, merged_takes_from_the_fallback_only_what_is_not_set) {
  EXPECT_EQ(merged({.node_id = "a"}, {.node_id = "b", .rank = "1"}),
            (Tags{.node_id = "a", .rank = "1"}));
}

}  // namespace
}  // namespace auscult::model
