#include "alert/watch.h"

#include <gtest/gtest.h>

namespace auscult::alert {
namespace {

using Verdict = TriggerState::Verdict;

const Trigger& trigger(std::string_view name) {
  for (const Trigger& one : all_triggers()) {
    if (one.name == name) return one;
  }
  std::abort();
}

// `n` points a second apart ending before `end_s`, alternating a little around `value`.
std::vector<store::Point> around(double value, size_t n, int64_t end_s) {
  std::vector<store::Point> points;
  for (size_t i = 0; i < n; ++i) {
    const double wobble = i % 2 == 0 ? 0.01 : -0.01;
    points.push_back({(end_s - static_cast<int64_t>(n - i)) * ns_per_s, value + wobble});
  }
  return points;
}

TEST(Watch, fires_when_the_window_is_far_from_the_nodes_own_baseline) {
  const auto decision =
      decide(trigger("io_pressure"), true, around(0.02, 60, 100), around(0.9, 8, 130));

  EXPECT_EQ(decision.verdict, Verdict::firing);
  EXPECT_NEAR(decision.value, 0.9, 0.02);
  EXPECT_EQ(decision.threshold, 0.5);
  EXPECT_EQ(decision.started_at_ns, 122 * ns_per_s);
}

TEST(Watch, a_node_that_always_waits_for_its_disk_is_not_ill_today) {
  const auto decision =
      decide(trigger("io_pressure"), true, around(0.8, 60, 100), around(0.9, 8, 130));

  EXPECT_EQ(decision.verdict, Verdict::clear);
}

TEST(Watch, one_bad_second_is_no_illness) {
  auto window = around(0.02, 8, 130);
  window.back().value = 1.0;
  EXPECT_EQ(decide(trigger("io_pressure"), true, around(0.02, 60, 100), window).verdict,
            Verdict::clear);
}

TEST(Watch, without_a_baseline_it_says_so_and_does_not_fire) {
  EXPECT_EQ(
      decide(trigger("io_pressure"), true, around(0.02, 29, 100), around(0.9, 8, 130)).verdict,
      Verdict::no_baseline);
}

TEST(Watch, without_points_there_is_no_data_rather_than_health) {
  EXPECT_EQ(decide(trigger("io_pressure"), true, around(0.02, 60, 100), {}).verdict,
            Verdict::no_data);
}

TEST(Watch, a_baseline_disturbed_for_a_third_of_its_time_still_serves) {
  auto baseline = around(0.02, 60, 100);
  for (size_t i = 0; i < 20; ++i) baseline[i * 3].value = 1.0;

  EXPECT_EQ(decide(trigger("io_pressure"), true, baseline, around(0.9, 8, 130)).verdict,
            Verdict::firing);
}

TEST(Watch, little_memory_left_is_judged_downwards) {
  const auto& memory = trigger("memory_short");
  EXPECT_EQ(decide(memory, false, around(0.8, 60, 100), around(0.1, 8, 130)).verdict,
            Verdict::firing);
  EXPECT_EQ(decide(memory, false, around(0.8, 60, 100), around(0.5, 8, 130)).verdict,
            Verdict::clear);
  // A host that always runs at 12% is at its own normal.
  EXPECT_EQ(decide(memory, false, around(0.12, 60, 100), around(0.11, 8, 130)).verdict,
            Verdict::clear);
}

}  // namespace
}  // namespace auscult::alert
