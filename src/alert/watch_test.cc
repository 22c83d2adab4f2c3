#include "alert/watch.h"

#include <gtest/gtest.h>

#include "store/memory_store.h"

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

TEST(Watch, a_node_that_usually_has_18_percent_left_fires_at_half_of_the_bound) {
  const auto& memory = trigger("memory_short");
  const auto usual = decide(memory, false, around(0.18, 60, 100), around(0.17, 8, 130));
  EXPECT_EQ(usual.verdict, Verdict::clear);
  EXPECT_EQ(usual.threshold, 0.075);
  EXPECT_EQ(decide(memory, false, around(0.18, 60, 100), around(0.05, 8, 130)).verdict,
            Verdict::firing);
}

TEST(Watch, a_threshold_of_a_ratio_can_be_reached) {
  // 0.8 + 0.3 would be beyond all.
  const auto saturated =
      decide(trigger("cpu_pressure"), true, around(0.8, 60, 100), around(0.98, 8, 130));
  EXPECT_EQ(saturated.threshold, 0.95);
  EXPECT_EQ(saturated.verdict, Verdict::firing);
}

TEST(Watch, a_node_that_is_always_at_the_threshold_is_not_called_clear) {
  EXPECT_EQ(
      decide(trigger("cpu_pressure"), true, around(0.97, 60, 100), around(0.98, 8, 130)).verdict,
      Verdict::no_baseline);
  EXPECT_EQ(
      decide(trigger("cpu_pressure"), true, around(0.93, 60, 100), around(0.98, 8, 130)).verdict,
      Verdict::no_baseline)
      << "one and a half spreads are no room";
}

class WatchOfNodeTest : public testing::Test {
 protected:
  // A counter of time waited for I/O, whose share is `share` from the last point until `end_s`.
  void add(double share, int64_t end_s, int64_t interval_s = 1) {
    store::Batch batch;
    while (time_s_ < end_s) {
      time_s_ += interval_s;
      waited_s_ += share * static_cast<double>(interval_s);
      batch.samples.push_back({.metric = "node_pressure_io_waiting_seconds_total",
                               .tags = {.node_id = "n"},
                               .timestamp_ns = time_s_ * ns_per_s,
                               .value = waited_s_,
                               .kind = model::MetricKind::counter});
    }
    EXPECT_TRUE(store_.write_and_wait(std::move(batch)));
  }
  size_t n_alerts(int64_t now_s) {
    const auto alerts = watch_.evaluate("n", now_s * ns_per_s);
    EXPECT_TRUE(alerts);
    return alerts ? alerts->size() : 0;
  }
  void quiet(int64_t begin_s, int64_t end_s) {
    watch_.quiet("n", {begin_s * ns_per_s, end_s * ns_per_s});
  }
  Verdict verdict() {
    for (const auto& state : watch_.state("n")) {
      if (state.trigger == "io_pressure") return state.verdict;
    }
    return Verdict::no_data;
  }

  store::MemoryStore store_;
  Watch watch_{store_};
  int64_t time_s_ = 1000;
  double waited_s_ = 0;
};

TEST_F(WatchOfNodeTest, an_experiment_announced_before_it_opens_nothing_while_it_runs_nor_after) {
  add(0.02, 1100);
  quiet(1100, 1160);
  add(0.98, 1112);
  EXPECT_EQ(n_alerts(1112), 0U);
  EXPECT_EQ(verdict(), Verdict::no_data) << "what is disturbed is not judged, and not healthy";

  quiet(1100, 1112);
  add(0.98, 1113);  // this point averages over the end
  add(0.02, 1116);
  for (int64_t now_s = 1113; now_s <= 1116; ++now_s) EXPECT_EQ(n_alerts(now_s), 0U) << now_s;
  EXPECT_EQ(verdict(), Verdict::clear) << "three points after the end can be judged";
}

TEST_F(WatchOfNodeTest, the_corrected_end_holds_also_when_another_test_began_meanwhile) {
  add(0.02, 1100);
  quiet(1100, 1400);
  quiet(1105, 1106);
  quiet(1100, 1110);
  add(0.98, 1125);

  EXPECT_EQ(n_alerts(1125), 1U);
}

// Each benchmark begins and ends between two collections: no point has its time, all have its load.
TEST_F(WatchOfNodeTest, a_slow_agent_loses_the_points_that_average_over_a_benchmark) {
  add(0.02, 2500, 15);
  const int64_t last_s = time_s_;
  for (int64_t i = 0; i < 5; ++i) quiet(last_s + 15 * i + 1, last_s + 15 * i + 11);
  add(0.7, last_s + 75, 15);
  EXPECT_EQ(n_alerts(last_s + 75), 0U);
  EXPECT_EQ(verdict(), Verdict::no_data);

  add(0.7, last_s + 120, 15);
  EXPECT_EQ(n_alerts(last_s + 120), 1U) << "without benchmarks the same is an illness";
}

TEST_F(WatchOfNodeTest, an_illness_that_an_experiment_interrupts_is_still_the_same) {
  add(0.02, 1100);
  add(0.98, 1112);
  EXPECT_EQ(n_alerts(1112), 1U);
  quiet(1112, 1140);
  add(0.98, 1141);
  EXPECT_EQ(n_alerts(1141), 0U);
  add(0.98, 1155);

  EXPECT_EQ(n_alerts(1155), 0U) << "the same illness, not a second one";
  EXPECT_EQ(verdict(), Verdict::firing);
}

TEST_F(WatchOfNodeTest, a_node_that_comes_back_ill_after_a_silence_is_ill_anew) {
  add(0.02, 1200);
  add(0.98, 1212);
  EXPECT_EQ(n_alerts(1212), 1U);
  add(0.98, 1212 + 121, 121);  // one point, whose rate says nothing of the window
  EXPECT_EQ(n_alerts(1333), 0U);
  add(0.98, 1345);

  EXPECT_EQ(n_alerts(1345), 1U) << "it was down: who brought it back must hear of it";
  EXPECT_EQ(n_alerts(1345), 0U) << "once";
}

TEST_F(WatchOfNodeTest, an_agent_that_was_restarted_tells_of_the_same_illness) {
  add(0.02, 1200);
  add(0.98, 1212);
  EXPECT_EQ(n_alerts(1212), 1U);
  add(0.98, 1212 + 120, 120);
  EXPECT_EQ(n_alerts(1332), 0U);
  add(0.98, 1344);

  EXPECT_EQ(n_alerts(1344), 0U);
  EXPECT_EQ(verdict(), Verdict::firing);
}

TEST_F(WatchOfNodeTest, an_illness_that_nobody_looked_at_for_a_while_is_still_the_same) {
  add(0.02, 1500);
  add(0.98, 1512);
  EXPECT_EQ(n_alerts(1512), 1U);
  add(0.98, 1512 + 200);  // it was being diagnosed, or its agent delivers what it kept

  EXPECT_EQ(n_alerts(1712), 0U);
  EXPECT_EQ(verdict(), Verdict::firing);
}

TEST_F(WatchOfNodeTest, names_that_anybody_posts_are_forgotten_before_a_node_that_reports) {
  add(0.02, 1100);
  add(0.98, 1112);
  EXPECT_EQ(n_alerts(1112), 1U);
  for (size_t i = 0; i < Watch::max_nodes + 100; ++i) {
    watch_.quiet("unknown" + std::to_string(i), {0, 1});
  }
  EXPECT_EQ(watch_.n_nodes(), Watch::max_nodes);
  EXPECT_EQ(verdict(), Verdict::firing);
}

}  // namespace
}  // namespace auscult::alert
