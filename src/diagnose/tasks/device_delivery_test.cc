#include <gtest/gtest.h>

#include "diagnose/testing.h"

namespace auscult::diagnose {
namespace {

using testing::at;

// A disk of 100,000 random reads a second and 1,000 MB/s of sequential writes.
void add_capability(store::Store& store, int n_runs = 3) {
  store::Batch batch;
  for (int run = 0; run < n_runs; ++run) {
    for (const auto& [metric, value] :
         {std::pair{"read_iops", 100'000.0}, {"checkpoint_write", 1'000.0}}) {
      batch.results.push_back({.run_id = "r" + std::to_string(run),
                               .timestamp_ns = testing::start_ns,
                               .benchmark = "storage",
                               .metric = metric,
                               .value = value,
                               .unit = {},
                               .device = "/",
                               .tags = {.node_id = "node1"}});
    }
  }
  ASSERT_TRUE(store.write_and_wait(std::move(batch)));
}

Finding ask(store::Store& store, double reads, double writes, double write_bytes) {
  testing::add_action_result(
      store, "i", "i.a1", "done",
      Json(Json::Object{{"device_counters",
                         Json(Json::Array{Json(Json::Object{{"device", "sda"},
                                                            {"seconds", 2.0},
                                                            {"reads", reads},
                                                            {"writes", writes},
                                                            {"read_bytes", 0.0},
                                                            {"write_bytes", write_bytes}})})}}));
  const auto finding =
      run_task("device_delivery",
               {{"incident", "i"}, {"action", "i.a1"}, {"node", "node1"}, {"end", at(10)}},
               testing::context(store));
  EXPECT_TRUE(finding) << finding.error().message;
  return *finding;
}

TEST(DeviceDelivery, a_disk_that_works_fully_for_somebody_else_is_in_order) {
  store::MemoryStore store;
  add_capability(store);
  // In 2 s: 20,000 reads (0.2 s of its time) and 1.6 GB written in 1,600 requests (1.6 s + 0.016
  // s).
  const Finding finding = ask(store, 20'000, 1'600, 1.6e9);
  EXPECT_EQ(finding.answer, Answer::found) << finding.statement;
  EXPECT_NEAR(finding.value, (0.2 + 1.6 + 0.016) / 2, 1e-9);
}

TEST(DeviceDelivery, a_disk_that_does_little_in_total_is_slow_itself) {
  store::MemoryStore store;
  add_capability(store);
  const Finding finding = ask(store, 2'000, 100, 0.1e9);
  EXPECT_EQ(finding.answer, Answer::clear);
  EXPECT_LT(finding.value, 0.1);
}

TEST(DeviceDelivery, without_a_storage_baseline_it_is_no_data) {
  store::MemoryStore store;
  EXPECT_EQ(ask(store, 20'000, 1'600, 1.6e9).answer, Answer::no_data);
}

TEST(DeviceDelivery, two_runs_do_not_say_what_a_disk_can_do) {
  store::MemoryStore store;
  add_capability(store, 2);
  EXPECT_EQ(ask(store, 20'000, 1'600, 1.6e9).answer, Answer::no_data);
}

}  // namespace
}  // namespace auscult::diagnose
