#include "wire/otlp_buckets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace auscult::wire {
namespace {

using Side = ExponentialHistogram::Side;

uint64_t total(const std::vector<Bucket>& buckets) {
  uint64_t sum = 0;
  for (const auto& bucket : buckets) sum += bucket.count;
  return sum;
}

TEST(ClassicBuckets, bounds_are_powers_of_the_base) {
  // Scale 1: base is the square root of 2; index 1 covers (1.414, 2].
  const auto buckets = classic_buckets({.scale = 1, .positive = {1, {5, 6}}});
  ASSERT_TRUE(buckets);
  ASSERT_EQ(buckets->size(), 2U);
  EXPECT_DOUBLE_EQ((*buckets)[0].bound, 2.0);
  EXPECT_DOUBLE_EQ((*buckets)[1].bound, 2.0 * std::sqrt(2.0));
  EXPECT_EQ((*buckets)[1].count, 6U);
}

TEST(ClassicBuckets, negative_values_come_first_then_zero) {
  // Negative index 0 covers [-2, -1), index 1 covers [-4, -2).
  const auto buckets = classic_buckets({.scale = 0,
                                        .zero_count = 3,
                                        .zero_threshold = 0.5,
                                        .positive = {0, {7}},
                                        .negative = {0, {1, 2}}});
  ASSERT_TRUE(buckets);
  ASSERT_EQ(buckets->size(), 4U);
  const double bounds[] = {-2, -1, 0.5, 2};
  const uint64_t counts[] = {2, 1, 3, 7};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ((*buckets)[i].bound, bounds[i]) << i;
    EXPECT_EQ((*buckets)[i].count, counts[i]) << i;
  }
}

TEST(ClassicBuckets, too_many_are_merged_pairwise_without_losing_a_count) {
  // Indices -7..312 become -4..156, still 161 of them, and then -2..78: the first holds -7..-5.
  const auto buckets =
      classic_buckets({.scale = 3, .positive = {-7, std::vector<uint64_t>(320, 1)}});
  ASSERT_TRUE(buckets);
  EXPECT_EQ(buckets->size(), 81U);
  EXPECT_EQ(total(*buckets), 320U);
  EXPECT_EQ(buckets->front().count, 3U);
}

TEST(ClassicBuckets, one_halving_keeps_the_bounds_of_the_coarser_scale) {
  const auto buckets =
      classic_buckets({.scale = 1, .positive = {-1, std::vector<uint64_t>(161, 1)}});
  ASSERT_TRUE(buckets);
  ASSERT_EQ(buckets->size(), 81U);
  EXPECT_EQ(buckets->front().count, 1U);  // index -1 alone is the upper half of index -1
  EXPECT_DOUBLE_EQ(buckets->front().bound, 1.0);
  EXPECT_DOUBLE_EQ((*buckets)[1].bound, 2.0);
  EXPECT_EQ((*buckets)[1].count, 2U);
}

TEST(ClassicBuckets, bounds_beyond_a_double_become_one_bucket) {
  const auto huge = classic_buckets(
      {.scale = -10, .positive = {std::numeric_limits<int32_t>::max() - 2, {1, 1, 1}}});
  ASSERT_TRUE(huge);
  ASSERT_EQ(huge->size(), 1U);
  EXPECT_TRUE(std::isinf(huge->front().bound));
  EXPECT_EQ(huge->front().count, 3U);
  const auto tiny =
      classic_buckets({.scale = 0, .positive = {std::numeric_limits<int32_t>::min(), {1, 1, 1}}});
  ASSERT_TRUE(tiny);
  EXPECT_EQ(total(*tiny), 3U);
}

TEST(ClassicBuckets, nonsense_is_refused) {
  EXPECT_FALSE(classic_buckets({.scale = 21}));
  EXPECT_FALSE(classic_buckets({.scale = -11}));
  EXPECT_FALSE(classic_buckets({.scale = std::numeric_limits<int32_t>::min()}));
  EXPECT_FALSE(classic_buckets({.zero_threshold = std::nan("")}));
  EXPECT_FALSE(classic_buckets({.zero_threshold = -1}));
  EXPECT_FALSE(classic_buckets(
      {.positive = {0, std::vector<uint64_t>(max_exponential_buckets_on_wire + 1, 1)}}));
}

}  // namespace
}  // namespace auscult::wire
