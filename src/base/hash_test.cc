#include "base/hash.h"

#include <gtest/gtest.h>

namespace auscult {
namespace {

// As xxhsum 0.8 prints them (`xxhsum -H3`, `xxhsum -H2`): identities that are stored must not move.
TEST(Hash, agrees_with_xxhsum) {
  EXPECT_EQ(hash64(""), 0x2d06800538d394c2U);
  EXPECT_EQ(hash64("a"), 0xe6c632b61e964e1fU);
  EXPECT_EQ(hash64("abc"), 0x78af5f94892f3950U);
  EXPECT_EQ(hash128_hex(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(hash128_hex("a"), "a96faf705af16834e6c632b61e964e1f");
  EXPECT_EQ(hash128_hex("abc"), "06b05ab6733a618578af5f94892f3950");
}

TEST(Hash, covers_every_byte_also_beyond_a_zero) {
  EXPECT_NE(hash64(std::string_view("a\0b", 3)), hash64(std::string_view("a\0c", 3)));
}

}  // namespace
}  // namespace auscult
