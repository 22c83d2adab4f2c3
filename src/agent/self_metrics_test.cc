#include "agent/self_metrics.h"

#include <gtest/gtest.h>

#include <map>

namespace auscult::agent {
namespace {

TEST(SelfMetrics, tell_memory_cpu_spool_and_failures) {
  std::map<std::string, double> values;
  for (const auto& sample : self_samples({.spool = {.bytes = 5, .records = 2, .dropped_batches = 3},
                            .send_failures = 4,
                            .rejected_items = 6,
                            .collector_failures = {{"cpu", 7}}},
                                         {.node_id = "n"}, 9)) {
    values[sample.metric] = sample.value;
    EXPECT_EQ(sample.tags.node_id, "n");
    EXPECT_EQ(sample.timestamp_ns, 9);
  }

  EXPECT_GT(values.at("auscult_agent_rss_bytes"), 1e6);
  EXPECT_GT(values.at("auscult_agent_cpu_seconds_total"), 0);
  EXPECT_EQ(values.at("auscult_agent_spool_bytes"), 5);
  EXPECT_EQ(values.at("auscult_agent_spool_records"), 2);
  EXPECT_EQ(values.at("auscult_spool_dropped_batches_total"), 3);
  EXPECT_EQ(values.at("auscult_agent_send_failures_total"), 4);
  EXPECT_EQ(values.at("auscult_agent_rejected_items_total"), 6);
  EXPECT_EQ(values.at("auscult_collector_failures_total"), 7);
}

}  // namespace
}  // namespace auscult::agent
