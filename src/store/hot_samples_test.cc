#include "store/hot_samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <vector>

namespace auscult::store {
namespace {

constexpr int64_t step_ms = 10'000;
constexpr int64_t least = std::numeric_limits<int64_t>::min();
constexpr int64_t most = std::numeric_limits<int64_t>::max();

using Expected = std::map<int64_t, double>;

Expected read(const HotSamples& samples, int64_t begin_ms = least, int64_t end_ms = most) {
  std::vector<int64_t> times_ms;
  std::vector<double> values;
  samples.read(begin_ms, end_ms, times_ms, values);
  EXPECT_EQ(times_ms.size(), values.size());
  Expected found;
  for (size_t i = 0; i < times_ms.size(); ++i) {
    EXPECT_TRUE(i == 0 || times_ms[i - 1] < times_ms[i]) << "not ascending at " << i;
    found[times_ms[i]] = values[i];
  }
  return found;
}

// n samples from 0 on whose values take about two bytes each.
HotSamples rough(int64_t n) {
  HotSamples samples;
  for (int64_t i = 0; i < n; ++i) {
    samples.append(i * step_ms, static_cast<double>(i * 7919 % 10'007));
  }
  return samples;
}

TEST(HotSamples, empty_has_nothing_and_is_two_pointers) {
  HotSamples samples;
  EXPECT_TRUE(samples.empty());
  EXPECT_EQ(samples.size(), 0U);
  EXPECT_FALSE(samples.last());
  EXPECT_TRUE(read(samples).empty());
  EXPECT_EQ(samples.bytes(), 2 * sizeof(void*));
  samples.drop_before(most);
}

TEST(HotSamples, reads_a_range_that_begins_and_ends_within_chunks) {
  const HotSamples samples = rough(1000);
  EXPECT_EQ(samples.size(), 1000U);
  EXPECT_EQ(samples.last()->timestamp_ms, 999 * step_ms);
  EXPECT_EQ(samples.last()->value, 999 * 7919 % 10'007);
  for (const int64_t begin : {0, 1, 119, 120, 121, 400, 990, 1000}) {
    for (const int64_t length : {0, 1, 7, 120, 600, 1000}) {
      const auto found = read(samples, begin * step_ms, (begin + length) * step_ms);
      const auto expected = std::min(length, 1000 - begin);
      ASSERT_EQ(found.size(), static_cast<size_t>(expected)) << begin << " " << length;
      if (expected > 0) {
        EXPECT_EQ(found.begin()->first, begin * step_ms);
        EXPECT_EQ(found.begin()->second, static_cast<double>(begin * 7919 % 10'007));
      }
    }
  }
}

TEST(HotSamples, a_range_excludes_its_end_and_includes_its_begin) {
  const HotSamples samples = rough(10);
  const auto found = read(samples, 2 * step_ms, 4 * step_ms);
  EXPECT_EQ(found, (Expected{{2 * step_ms, 2 * 7919 % 10'007}, {3 * step_ms, 3 * 7919 % 10'007}}));
}

TEST(HotSamples, adds_behind_what_was_read_before) {
  std::vector<int64_t> times_ms = {99};
  std::vector<double> values = {1};
  rough(2).read(least, most, times_ms, values);
  EXPECT_EQ(times_ms, (std::vector<int64_t>{99, 0, step_ms}));
  EXPECT_EQ(values, (std::vector<double>{1, 0, 7919}));
}

TEST(HotSamples, of_one_time_the_last_value_stays) {
  HotSamples samples = rough(500);
  for (const int64_t i : {499, 3, 250, 499}) {
    samples.append(i * step_ms, -static_cast<double>(i));
    EXPECT_EQ(read(samples).at(i * step_ms), -static_cast<double>(i));
  }
  EXPECT_EQ(samples.size(), 500U);
  EXPECT_EQ(samples.last()->value, -499);
}

TEST(HotSamples, any_order_gives_what_a_sorted_map_gives) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 30; ++round) {
    HotSamples samples;
    Expected expected;
    const int64_t spread = round % 3 == 0 ? 3000 : 20;
    for (int64_t i = 0; i < 1500; ++i) {
      const int64_t back = random() % 4 == 0 ? static_cast<int64_t>(random()) % spread : 0;
      const int64_t time_ms = i - back;
      const auto value = static_cast<double>(random() % 100) / 10;
      samples.append(time_ms, value);
      expected[time_ms] = value;
    }
    ASSERT_EQ(read(samples), expected);
    ASSERT_EQ(samples.size(), expected.size());
    ASSERT_EQ(samples.last()->timestamp_ms, expected.rbegin()->first);
    ASSERT_EQ(samples.last()->value, expected.rbegin()->second);
    ASSERT_EQ(read(samples, 700, 900),
              Expected(expected.lower_bound(700), expected.lower_bound(900)));
  }
}

TEST(HotSamples, a_series_that_comes_backwards_is_still_in_chunks) {
  HotSamples samples;
  Expected expected;
  for (int64_t i = 3000; i > 0; --i) {
    samples.append(i, static_cast<double>(i % 7));
    expected[i] = static_cast<double>(i % 7);
  }
  EXPECT_EQ(read(samples), expected);
  samples.drop_before(2900);
  EXPECT_LE(samples.size(), 100 + 2 * HotSamples::max_chunk_samples);
}

TEST(HotSamples, drops_whole_chunks_and_keeps_what_is_later) {
  HotSamples samples = rough(1000);
  const auto all = read(samples);
  const size_t before = samples.bytes();
  samples.drop_before(500 * step_ms);
  EXPECT_LT(samples.bytes(), before * 2 / 3);
  EXPECT_LT(samples.size(), 500 + HotSamples::min_chunk_samples);
  EXPECT_EQ(read(samples, 500 * step_ms), Expected(all.lower_bound(500 * step_ms), all.end()));
  samples.append(1000 * step_ms, 1);
  EXPECT_EQ(samples.last()->value, 1);
}

TEST(HotSamples, a_chunk_goes_as_soon_as_the_next_begins_in_time) {
  HotSamples samples = rough(1000);
  samples.drop_before(0);
  EXPECT_EQ(samples.size(), 1000U);
  // Its values take more than min_chunk_bytes, so the first chunk has 120 samples: 0 to 119.
  samples.drop_before(120 * step_ms - 1);
  EXPECT_EQ(samples.size(), 1000U);
  samples.drop_before(120 * step_ms);
  EXPECT_EQ(samples.size(), 880U);
}

TEST(HotSamples, what_ended_before_is_empty_again_and_can_begin_anew) {
  HotSamples samples = rough(500);
  samples.drop_before(499 * step_ms);
  EXPECT_FALSE(samples.empty());
  samples.drop_before(499 * step_ms + 1);
  EXPECT_TRUE(samples.empty());
  EXPECT_EQ(samples.bytes(), sizeof samples);
  samples.append(1, 2);
  EXPECT_EQ(read(samples), (Expected{{1, 2}}));
}

TEST(HotSamples, chunks_are_closed_as_before_after_all_of_them_were_dropped) {
  HotSamples samples = rough(130);
  samples.drop_before(125 * step_ms);
  ASSERT_EQ(samples.size(), 10U);
  for (int64_t i = 130; i < 500; ++i) samples.append(i * step_ms, static_cast<double>(i * i));
  EXPECT_EQ(samples.size(), 380U);
  EXPECT_EQ(read(samples).begin()->first, 120 * step_ms);
}

TEST(HotSamples, late_samples_after_a_drop_begin_before_the_oldest) {
  HotSamples samples = rough(500);
  samples.drop_before(300 * step_ms);
  samples.append(5, 42);
  EXPECT_EQ(read(samples).begin()->first, 5);
}

TEST(HotSamples, a_constant_is_closed_by_its_number_of_samples) {
  HotSamples samples;
  for (int64_t i = 0; i < 720; ++i) samples.append(i * step_ms, 1);
  samples.drop_before(360 * step_ms);
  EXPECT_EQ(samples.size(), 360U);
}

TEST(HotSamples, moving_leaves_nothing_behind) {
  HotSamples samples = rough(300);
  HotSamples moved = std::move(samples);
  EXPECT_EQ(moved.size(), 300U);
  samples = rough(2);
  samples = std::move(moved);
  EXPECT_EQ(samples.size(), 300U);
}

// What a node_exporter page is made of, by the share that a host's page had of each: two thirds
// never change, most counters of the rest rest most of the time.
double next_value(int kind, int64_t i, double value, std::mt19937_64& random) {
  const auto below = [&](uint64_t n) { return static_cast<double>(random() % n); };
  if (kind < 60) return value;                                               // constants
  if (kind < 70) return random() % 10 == 0 ? value + below(50) : value;      // counters at rest
  if (kind < 78) return value + 150'000 + below(20'000);                     // bytes, packets
  if (kind < 84) return std::round(value * 100 + 700 + below(300)) / 100;    // cpu seconds
  if (kind < 92) return 4096 * std::round(value / 4096 + below(200) - 100);  // memory
  if (kind < 97)
    return std::round(100 * (3 + std::sin(static_cast<double>(i) / 50)) + below(9)) / 100;
  return 0.001 * below(1'000'000'007) / 1'000'003;  // all bits of a double
}

TEST(HotSamples, two_hours_of_a_host_take_about_a_byte_a_sample) {
  constexpr size_t n_series = 1000;
  constexpr int64_t n_samples = 720;
  std::mt19937_64 random(1);
  size_t bytes = 0;
  for (size_t series = 0; series < n_series; ++series) {
    HotSamples samples;
    double value = static_cast<double>(random() % 1'000'000) * 4096;
    for (int64_t i = 0; i < n_samples; ++i) {
      value = next_value(static_cast<int>(series % 100), i, value, random);
      samples.append(1'790'000'000'000 + i * step_ms, value);
    }
    bytes += samples.bytes();
  }
  const double bytes_a_series = static_cast<double>(bytes) / n_series;
  EXPECT_LT(bytes_a_series, 800);
  EXPECT_LT(bytes_a_series / n_samples, 1.1);
}

}  // namespace
}  // namespace auscult::store
