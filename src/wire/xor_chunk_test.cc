#include "wire/xor_chunk.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "wire/otlp_fields.h"
#include "wire/testing_prometheus.h"

namespace auscult::wire {
namespace {

constexpr TimeRangeMs always = {std::numeric_limits<int64_t>::min(),
                                std::numeric_limits<int64_t>::max()};

// Bits as text, "1 0110", padded with zeros to whole bytes.
std::string bytes_of(std::string_view bits) {
  std::string bytes;
  size_t n = 0;
  for (const char bit : bits) {
    if (bit == ' ') continue;
    if (n % 8 == 0) bytes += '\0';
    if (bit == '1') bytes.back() = static_cast<char>(bytes.back() | 0x80U >> (n % 8));
    ++n;
  }
  return bytes;
}

std::string bits_of(uint64_t value, unsigned n) {
  std::string bits;
  while (n-- > 0) bits += (value >> n & 1U) != 0 ? '1' : '0';
  return bits;
}

constexpr model::Series* of = nullptr;

// Worked out by hand after tsdb/chunkenc/xor.go: the first sample is 1.0 at 1000 ms, the second
// follows after 100 ms with the same value; `more` are the samples after it.
std::string chunk(unsigned n_samples, std::string_view more) {
  const std::string first_time = "11010000 00001111";  // 1000, its sign in the lowest bit, is 2000
  const std::string second_time = "01100100";          // 100
  return bytes_of(bits_of(n_samples, 16) + first_time + bits_of(0x3ff0000000000000, 64) +
                  second_time + "0" + std::string(more));
}

model::Points points_of(std::string_view bytes, const TimeRangeMs& range = always) {
  model::Points points;
  EXPECT_EQ(append_xor_chunk(bytes, of, range, points), 0U);
  return points;
}

TEST(XorChunk, the_first_two_samples_are_special) {
  const auto points = points_of(chunk(2, ""));
  EXPECT_EQ(points.timestamps_ms, (std::vector<int64_t>{1000, 1100}));
  EXPECT_EQ(points.values, (std::vector<double>{1, 1}));
}

TEST(XorChunk, every_width_of_a_time_is_read_with_its_sign) {
  // 14 bits reach from -8191 to 8192, 17 from -65535 to 65536, 20 from -524287 to 524288.
  const auto points = points_of(chunk(
      9, "0 0" + ("10" + bits_of(8192, 14) + "0") + ("10" + bits_of(16384U - 8191, 14) + "0") +
             ("110" + bits_of(65536, 17) + "0") + ("110" + bits_of((1U << 17U) - 65535, 17) + "0") +
             ("1110" + bits_of(524288, 20) + "0") +
             ("1111" + bits_of(static_cast<uint64_t>(-524288), 64) + "0")));
  // Deltas: 100 and then 8292, 101, 65637, 102, 524390, 102.
  EXPECT_EQ(points.timestamps_ms,
            (std::vector<int64_t>{1000, 1100, 1200, 9492, 9593, 75230, 75332, 599722, 599824}));
}

TEST(XorChunk, values_are_differences_in_a_window_that_may_be_kept) {
  const uint64_t one = 0x3ff0000000000000;
  // 1.0 ^ 1.5 = 2^51: 12 zeros, 1 bit, 51 zeros. Then back with the same window, then all 64 bits.
  const auto points = points_of(chunk(5,
                                      "0 11 01100 000001 1"
                                      "0 10 1"
                                      "0 11 00000 000000" +
                                          bits_of(~one ^ one, 64)));
  ASSERT_EQ(points.size(), 5U);
  EXPECT_EQ(points.values[2], 1.5);
  EXPECT_EQ(points.values[3], 1);
  EXPECT_EQ(std::bit_cast<uint64_t>(points.values[4]), ~one);
}

TEST(XorChunk, what_lies_outside_of_the_range_is_left_out) {
  const auto points = points_of(chunk(4, "0 0 0 0"), {1100, 1200});
  EXPECT_EQ(points.timestamps_ms, (std::vector<int64_t>{1100, 1200}));
}

TEST(XorChunk, times_before_1970_are_counted_and_left_out) {
  model::Points points;
  // The third is 2^63 ms later, which wraps to long before 1970.
  const auto bytes = chunk(3, "1111" + bits_of(uint64_t{1} << 63U, 64) + "0");
  EXPECT_EQ(append_xor_chunk(bytes, of, always, points), 1U);
  EXPECT_EQ(points.size(), 2U);
}

TEST(XorChunk, one_that_ends_early_is_malformed) {
  const std::string whole = chunk(3, "10" + bits_of(5, 14) + "11 00000 000000" + bits_of(7, 64));
  EXPECT_EQ(points_of(whole).size(), 3U);
  for (size_t length = 0; length < whole.size(); ++length) {
    model::Points points;
    EXPECT_THROW(append_xor_chunk(whole.substr(0, length), of, always, points), Malformed)
        << length;
  }
}

TEST(XorChunk, a_window_wider_than_a_value_is_malformed) {
  model::Points points;
  const auto bytes = chunk(3, "0 11 11111 111111" + bits_of(0, 64));
  EXPECT_THROW(append_xor_chunk(bytes, of, always, points), Malformed);
}

TEST(XorChunk, a_time_of_more_than_64_bits_is_malformed) {
  model::Points points;
  const std::string bytes = std::string("\0\1", 2) + std::string(11, '\xff') + std::string(8, 'x');
  EXPECT_THROW(append_xor_chunk(bytes, of, always, points), Malformed);
}

}  // namespace
}  // namespace auscult::wire
