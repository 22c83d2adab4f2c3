#include "store/gorilla.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace auscult::store {
namespace {

constexpr int64_t step_ms = 10'000;
const double stale = std::bit_cast<double>(uint64_t{0x7ff0000000000002});  // Prometheus's marker

struct Stream {
  std::vector<int64_t> times_ms;
  std::vector<double> values;
  std::vector<uint8_t> bytes;
  size_t n_bits = 0;
  size_t largest_sample_bits = 0;
};

Stream encoded(std::vector<int64_t> times_ms, std::vector<double> values) {
  Stream stream{std::move(times_ms), std::move(values)};
  stream.bytes.resize((stream.times_ms.size() + 1) * gorilla_max_sample_bytes);
  GorillaState state;
  for (size_t i = 0; i < stream.times_ms.size(); ++i) {
    const size_t before = stream.n_bits;
    stream.n_bits = i == 0 ? gorilla_encode_first(state, stream.times_ms[0], stream.values[0],
                                                  stream.bytes.data())
                           : gorilla_encode(state, stream.times_ms[i], stream.values[i],
                                            stream.bytes.data(), stream.n_bits);
    stream.largest_sample_bits = std::max(stream.largest_sample_bits, stream.n_bits - before);
  }
  stream.bytes.resize((stream.n_bits + 7) / 8);
  stream.bytes.shrink_to_fit();  // so that the sanitizer sees a byte read too far
  return stream;
}

// `n` values, a step apart.
Stream encoded(size_t n, const std::function<double(size_t)>& value) {
  std::vector<int64_t> times_ms;
  std::vector<double> values;
  for (size_t i = 0; i < n; ++i) {
    times_ms.push_back(static_cast<int64_t>(i) * step_ms);
    values.push_back(value(i));
  }
  return encoded(std::move(times_ms), std::move(values));
}

void expect_back(const Stream& stream) {
  const size_t n = stream.times_ms.size();
  std::vector<int64_t> times_ms(n);
  std::vector<double> values(n);
  gorilla_decode(stream.bytes, stream.times_ms[0], n, times_ms.data(), values.data());
  for (size_t i = 0; i < n; ++i) {
    ASSERT_EQ(times_ms[i], stream.times_ms[i]) << "sample " << i;
    ASSERT_EQ(std::bit_cast<uint64_t>(values[i]), std::bit_cast<uint64_t>(stream.values[i]))
        << "sample " << i << " is " << stream.values[i];
  }
}

double bits_a_sample(const Stream& stream) {
  return static_cast<double>(stream.n_bits) / static_cast<double>(stream.times_ms.size());
}

const std::vector<double> special = {0.0,
                                     -0.0,
                                     1,
                                     -1,
                                     0.1,
                                     -0.25,
                                     1.0F / 3,
                                     1.0 / 3,
                                     4096,
                                     3072,
                                     1536,
                                     1e15 + 0.5,
                                     1e22,
                                     1e300,
                                     9007199254740991,
                                     9007199254740992,
                                     9007199254740994,
                                     -9007199254740992,
                                     1e-15,
                                     1e-16,
                                     123456789.123456,
                                     std::numeric_limits<double>::max(),
                                     std::numeric_limits<double>::lowest(),
                                     std::numeric_limits<double>::denorm_min(),
                                     std::numeric_limits<double>::infinity(),
                                     -std::numeric_limits<double>::infinity(),
                                     std::nan(""),
                                     -std::nan("7"),
                                     stale,
                                     std::bit_cast<double>(uint64_t{0xffffffffffffffff})};

TEST(Gorilla, every_double_comes_back_after_every_other) {
  std::vector<double> values;
  for (const double a : special) {
    for (const double b : special) values.insert(values.end(), {a, b, b});
  }
  expect_back(encoded(values.size(), [&](size_t i) { return values[i]; }));
  for (const double first : special) {
    expect_back(encoded(2, [&](size_t i) { return i == 0 ? first : 17; }));
  }
}

TEST(Gorilla, every_time_comes_back_after_every_other) {
  constexpr int64_t least = std::numeric_limits<int64_t>::min();
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> times_ms;
  for (const int64_t a : {least, most, int64_t{0}, int64_t{-1}, int64_t{1'790'000'000'000}}) {
    for (const int64_t b : {least, most, int64_t{0}, int64_t{10'000}}) {
      times_ms.insert(times_ms.end(), {a, b});
    }
  }
  expect_back(encoded(times_ms, std::vector<double>(times_ms.size(), 1.5)));
}

// Bits and decimals at random, runs and jumps, on time and not.
TEST(Gorilla, random_series_come_back_and_no_sample_is_larger_than_said) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<int64_t> times_ms = {static_cast<int64_t>(random())};
    std::vector<double> values = {0};
    const uint64_t kinds = random();
    for (int i = 0; i < 60; ++i) {
      const uint64_t kind = (kinds >> (random() % 8 * 3)) % 8;
      const auto small = static_cast<double>(random() % 1000);
      const double scale = std::pow(10, static_cast<double>(random() % 18));
      double value = values.back();
      if (kind == 1) value = std::bit_cast<double>(random());
      if (kind == 2) value += small;
      if (kind == 3) value = small / scale;
      if (kind == 4) value = small * 4096;
      if (kind == 5) value = static_cast<double>(static_cast<float>(small / scale));
      if (kind == 6) value = special[random() % special.size()];
      values.push_back(value);
      uint64_t time_ms = static_cast<uint64_t>(times_ms.back()) + step_ms;
      if (kinds % 3 == 1) time_ms += random() % 5;
      if (kinds % 3 == 2 && random() % 4 == 0) time_ms = random() >> (random() % 64);
      times_ms.push_back(static_cast<int64_t>(time_ms));
    }
    const Stream stream = encoded(times_ms, values);
    expect_back(stream);
    // A sample's last word is written whole.
    EXPECT_LE(stream.largest_sample_bits, (gorilla_max_sample_bytes - sizeof(uint64_t)) * 8);
  }
}

TEST(Gorilla, a_constant_on_time_takes_a_bit_a_sample) {
  for (const double value : {0.0, 4096.0, 0.1, 1.0 / 3, stale}) {
    EXPECT_LT(bits_a_sample(encoded(1000, [&](size_t) { return value; })), 1.2) << value;
  }
}

TEST(Gorilla, a_steady_counter_takes_little_more_than_two_bits_a_sample) {
  const auto hundredths = [](size_t i) { return (1e7 + 998 * static_cast<double>(i)) / 100; };
  EXPECT_LT(bits_a_sample(encoded(1000, hundredths)), 2.5);
}

TEST(Gorilla, a_few_ms_of_jitter_take_few_bits) {
  std::mt19937_64 random(1);
  std::vector<int64_t> times_ms;
  for (int i = 0; i < 1000; ++i) {
    times_ms.push_back(i * step_ms + static_cast<int64_t>(random() % 3));
  }
  const Stream stream = encoded(times_ms, std::vector<double>(times_ms.size(), 7));
  expect_back(stream);
  EXPECT_LT(bits_a_sample(stream), 5.4);
}

TEST(Gorilla, one_late_sample_does_not_make_the_next_two_late) {
  std::vector<int64_t> times_ms;
  for (int i = 0; i < 1000; ++i) times_ms.push_back(i * step_ms + (i % 20 == 10 ? 5 : 0));
  const Stream stream = encoded(times_ms, std::vector<double>(times_ms.size(), 7));
  EXPECT_LT(bits_a_sample(stream), 1.8);
}

TEST(Gorilla, whole_pages_cost_what_their_number_costs) {
  const auto bits = [](double unit) {
    std::mt19937_64 random(1);
    return encoded(1000, [&](size_t) { return unit * static_cast<double>(900 + random() % 64); })
        .n_bits;
  };
  EXPECT_EQ(bits(4096), bits(1));
}

TEST(Gorilla, floats_do_not_pay_for_the_bits_of_doubles) {
  std::mt19937_64 random(1);
  const Stream stream = encoded(1000, [&](size_t) {
    return static_cast<double>(1 + static_cast<float>(random() % 1024) / 1021);
  });
  EXPECT_LT(bits_a_sample(stream), 27);
}

TEST(Gorilla, whole_numbers_after_a_stale_marker_are_whole_again) {
  const auto value = [](size_t i) { return i == 500 ? stale : static_cast<double>(i * i % 64); };
  const double with_marker = bits_a_sample(encoded(1000, value));
  const double without =
      bits_a_sample(encoded(1000, [&](size_t i) { return i == 500 ? 1.0 : value(i); }));
  EXPECT_LT(with_marker, without + 0.5);
}

}  // namespace
}  // namespace auscult::store
