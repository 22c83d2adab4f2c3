#include "stats/kolmogorov.h"

#include <gtest/gtest.h>

#include <cmath>

namespace auscult::stats {
namespace {

// One value: D+ is 1 - U and D the larger of U and 1 - U.
TEST(Kolmogorov, one_value_has_the_distribution_of_its_distance_from_the_ends) {
  EXPECT_NEAR(smirnov_survival(1, 0.3), 0.7, 1e-15);
  EXPECT_NEAR(kolmogorov_survival(1, 0.7), 0.6, 1e-15);
  EXPECT_EQ(kolmogorov_survival(1, 0.5), 1);
  EXPECT_EQ(kolmogorov_survival(1, 1), 0);
}

// From scipy.stats.kstwo.sf and ksone.sf (1.10), one per region of Simard and L'Ecuyer.
TEST(Kolmogorov, every_region_agrees_with_scipy) {
  struct Case {
    int64_t n;
    double distance;
    double expected;
  };
  const Case cases[] = {
      {1, 0.8, 0.3999999999999999},
      {2, 0.3, 0.98},
      {2, 0.6, 0.32000000000000006},
      {5, 0.15, 0.9988},
      {5, 0.35, 0.46975},
      {5, 0.85, 0.0001518750000000001},
      {50, 0.015, 1.0},
      {50, 0.06, 0.9889221625382869},
      {50, 0.11, 0.5439007965907301},
      {50, 0.2, 0.03143877776953241},
      {50, 0.35, 5.573523514803185e-06},
      {50, 0.6, 9.634070456142374e-18},
      {140, 0.07, 0.4776228287946562},
      {141, 0.0045, 1.0},
      {141, 0.006, 1.0},
      {141, 0.04, 0.9710682269013183},
      {141, 0.07, 0.47315284500403054},
      {141, 0.13, 0.015449346308454497},
      {5000, 0.0015, 1.0},
      {5000, 0.004, 0.9999977369528622},
      {5000, 0.012, 0.4639912166690191},
      {5000, 0.03, 0.00024159234422666817},
      {5000, 0.3, 0.0},
      {200000, 0.0004, 0.9999999999999997},
      {200000, 0.0012, 0.9352425110540272},
      {200000, 0.003, 0.0545369786611305},
  };
  for (const auto& [n, distance, expected] : cases) {
    EXPECT_NEAR(kolmogorov_survival(n, distance), expected, 1e-10) << n << " " << distance;
  }
  const Case one_sided[] = {
      {1, 0.25, 0.75},
      {7, 0.01, 0.98938479849399},
      {7, 0.4, 0.07981061986077227},
      {60, 0.1, 0.2822518787881887},
      {1500, 0.02, 0.2972259154835339},
      {100000, 0.001, 0.8181854422987944},
  };
  for (const auto& [n, distance, expected] : one_sided) {
    EXPECT_NEAR(smirnov_survival(n, distance), expected, 1e-10) << n << " " << distance;
  }
}

// P(sqrt(n) D >= 1) tends to 0.26999967... (Smirnov's table of 1948).
TEST(Kolmogorov, many_values_approach_the_limit) {
  EXPECT_NEAR(kolmogorov_survival(100'000'000, 1e-4), 0.269999671677, 1e-4);
}

TEST(Kolmogorov, the_survival_never_rises_with_the_distance) {
  for (const int64_t n : {2, 5, 17, 140, 141, 3000}) {
    double previous = 1;
    for (int step = 0; step <= 200; ++step) {
      const double z = 0.02 * step;
      const double survival = kolmogorov_survival(n, z / std::sqrt(static_cast<double>(n)));
      // Where two methods meet, an approximation may be off by a few 1e-6.
      EXPECT_LE(survival, previous + 5e-6) << n << " " << z;
      previous = survival;
    }
  }
}

}  // namespace
}  // namespace auscult::stats
