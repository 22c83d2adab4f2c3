#include "wire/compression.h"

#include <gtest/gtest.h>

#include <random>

namespace auscult::wire {
namespace {

constexpr size_t plenty = size_t{1} << 20U;

std::string packed(std::string_view encoding, std::string_view body) {
  auto result = compress(encoding, body);
  EXPECT_TRUE(result) << result.error().message;
  return result ? *result : std::string();
}

// "hello, hello\n" as the programs gzip and zstd and Python's zlib pack it.
std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

TEST(Compression, what_others_packed_is_unpacked) {
  const std::string gzip = from_hex("1f8b0800000000000203cb48cdc9c9d751c800515c00db25261f0d000000");
  const std::string deflate = from_hex("78dacb48cdc9c9d751c800515c002159047f");
  const std::string zstd = from_hex("28b52ffd045869000068656c6c6f2c2068656c6c6f0a0053b3b7");
  EXPECT_EQ(*decompress("gzip", gzip, plenty), "hello, hello\n");
  EXPECT_EQ(*decompress("deflate", deflate, plenty), "hello, hello\n");
  EXPECT_EQ(*decompress("zstd", zstd, plenty), "hello, hello\n");
}

TEST(Compression, round_trips_at_every_size_that_matters) {
  std::mt19937 random(1);
  for (const size_t size : {0U, 1U, 65535U, 65536U, 65537U, 300000U}) {
    std::string body(size, '\0');
    for (char& c : body) c = static_cast<char>(random() % 64);
    for (const char* encoding : {"gzip", "zstd"}) {
      const auto back = decompress(encoding, packed(encoding, body), size);
      ASSERT_TRUE(back) << encoding << " " << size << ": " << back.error().message;
      EXPECT_EQ(*back, body) << encoding << " " << size;
    }
  }
}

TEST(Compression, identity_passes_and_is_bounded) {
  EXPECT_EQ(*decompress("", "abc", 3), "abc");
  EXPECT_EQ(*decompress("Identity", "abc", 3), "abc");
  EXPECT_FALSE(decompress("", "abcd", 3));
}

TEST(Compression, names_do_not_care_about_case) {
  EXPECT_EQ(*decompress("GZip", packed("gzip", "x"), 1), "x");
  EXPECT_EQ(*decompress("x-gzip", packed("gzip", "x"), 1), "x");
}

TEST(Compression, an_unknown_encoding_is_named) {
  const auto result = decompress("br", "abc", plenty);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("'br'"), std::string::npos);
  EXPECT_FALSE(compress("br", "abc"));
}

TEST(Compression, a_bomb_stops_at_the_bound) {
  const std::string zeros(size_t{16} << 20U, '\0');
  for (const char* encoding : {"gzip", "zstd"}) {
    const std::string bomb = packed(encoding, zeros);
    ASSERT_LT(bomb.size(), zeros.size() / 500);
    const auto result = decompress(encoding, bomb, plenty);
    ASSERT_FALSE(result) << encoding;
    EXPECT_EQ(result.error().code, ErrorCode::invalid_input);
    EXPECT_NE(result.error().message.find("more than 1048576 bytes"), std::string::npos);
    EXPECT_FALSE(decompress(encoding, bomb, zeros.size() - 1)) << encoding;
    EXPECT_TRUE(decompress(encoding, bomb, zeros.size())) << encoding;
  }
}

TEST(Compression, a_stream_cut_at_any_byte_is_an_error) {
  for (const char* encoding : {"gzip", "zstd"}) {
    const std::string whole = packed(encoding, "some text, some more text, some text");
    for (size_t length = 0; length < whole.size(); ++length) {
      EXPECT_FALSE(decompress(encoding, whole.substr(0, length), plenty)) << encoding << length;
    }
  }
}

TEST(Compression, bytes_after_the_end_are_an_error) {
  for (const char* encoding : {"gzip", "zstd"}) {
    EXPECT_FALSE(decompress(encoding, packed(encoding, "abc") + "garbage", plenty)) << encoding;
  }
  EXPECT_FALSE(decompress("deflate", from_hex("78dacb48cdc9c9d751c800515c002159047f00"), plenty));
}

TEST(Compression, several_members_follow_one_another) {
  for (const char* encoding : {"gzip", "zstd"}) {
    const auto both =
        decompress(encoding, packed(encoding, "one") + packed(encoding, "two"), plenty);
    ASSERT_TRUE(both) << both.error().message;
    EXPECT_EQ(*both, "onetwo") << encoding;
  }
}

TEST(Compression, the_bound_holds_over_all_members_together) {
  for (const char* encoding : {"gzip", "zstd"}) {
    EXPECT_FALSE(decompress(encoding, packed(encoding, "one") + packed(encoding, "two"), 5));
  }
}

TEST(Compression, a_flipped_bit_never_crashes_and_a_wrong_checksum_is_seen) {
  std::mt19937 random(2);
  const std::string whole = packed("gzip", std::string(1000, 'a') + "b");
  for (int i = 0; i < 5000; ++i) {
    std::string bad = whole;
    bad[random() % bad.size()] ^= static_cast<char>(1U << (random() % 8));
    (void)decompress("gzip", bad, plenty);
    (void)decompress("zstd", bad, plenty);
  }
  std::string bad = whole;
  bad[bad.size() - 6] ^= 1;
  EXPECT_FALSE(decompress("gzip", bad, plenty));
}

// A frame header that asks for a window of 128 MiB: 17 << 3 is the window descriptor of 2^27.
TEST(Compression, a_zstd_window_above_8_mib_is_refused) {
  const auto result = decompress("zstd", from_hex("28b52ffd0088010000"), plenty);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("memory"), std::string::npos) << result.error().message;
}

TEST(Compression, a_snappy_block_returns_whole) {
  const std::string text = std::string(1000, 'a') + "bc";
  EXPECT_LT(snappy_compress(text).size(), 100U);
  EXPECT_EQ(*snappy_decompress(snappy_compress(text), text.size()), text);
  EXPECT_EQ(*snappy_decompress(snappy_compress(""), 0), "");
}

TEST(Compression, a_snappy_block_above_the_bound_is_refused) {
  const auto result = snappy_decompress(snappy_compress(std::string(1000, 'a')), 999);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "snappy body: unpacks to more than 999 bytes");
}

// The lengths are 2^30 and 2^32 - 1; the bound of the caller alone would let them allocate.
TEST(Compression, a_snappy_header_that_claims_gigabytes_is_refused_by_its_size) {
  for (const char* hex : {"8080808004", "ffffffff0f00", "8080808004fe0100fe0100"}) {
    const auto result = snappy_decompress(from_hex(hex), SIZE_MAX);
    ASSERT_FALSE(result) << hex;
    EXPECT_EQ(result.error().message, "snappy body: claims more bytes than it can hold");
  }
}

// One literal byte, then 3000 copies of 64 bytes from 1 byte back: as dense as the format gets.
TEST(Compression, the_densest_snappy_block_is_not_refused) {
  std::string block = from_hex("81dc0b0061");  // 192'001
  for (int i = 0; i < 3000; ++i) block += from_hex("fe0100");
  const auto result = snappy_decompress(block, plenty);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(*result, std::string(192'001, 'a'));
}

TEST(Compression, a_broken_snappy_block_is_refused) {
  const std::string whole = snappy_compress("some text without any repetition");
  for (size_t length = 0; length < whole.size(); ++length) {
    const auto result = snappy_decompress(whole.substr(0, length), plenty);
    ASSERT_FALSE(result) << length;
    EXPECT_EQ(result.error().code, ErrorCode::invalid_input);
  }
  EXPECT_FALSE(snappy_decompress(whole + "x", plenty));
  EXPECT_FALSE(snappy_decompress("\xff\xff\xff\xff\xff\xff", plenty));
}

}  // namespace
}  // namespace auscult::wire
