#include <gtest/gtest.h>

#include "diagnose/testing.h"

namespace auscult::diagnose {
namespace {

constexpr double gib = 1024.0 * 1024 * 1024;

Answer answer(double available_bytes, double total_bytes) {
  store::MemoryStore store;
  testing::add_action_result(store, "i", "i.a1", "done",
                             Json(Json::Object{{"mem_total_bytes", total_bytes},
                                               {"mem_available_bytes", available_bytes}}));
  return run_task("memory_left", {{"incident", "i"}, {"action", "i.a1"}}, testing::context(store))
      ->answer;
}

TEST(MemoryLeft, a_tenth_of_a_large_host_is_short) {
  EXPECT_EQ(answer(10 * gib, 100 * gib), Answer::found);
  EXPECT_EQ(answer(50 * gib, 100 * gib), Answer::clear);
}

TEST(MemoryLeft, two_gib_are_short_whatever_the_share) {
  EXPECT_EQ(answer(2 * gib, 8 * gib), Answer::found);
}

TEST(MemoryLeft, without_a_snapshot_it_is_no_data) {
  store::MemoryStore store;
  EXPECT_EQ(
      run_task("memory_left", {{"incident", "i"}, {"action", "i.a1"}}, testing::context(store))
          ->answer,
      Answer::no_data);
}

}  // namespace
}  // namespace auscult::diagnose
