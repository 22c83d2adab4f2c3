#include "base/text.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace auscult {
namespace {

using Pieces = std::vector<std::string_view>;

TEST(Text, trim_takes_blanks_off_both_ends) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Text, split_keeps_empty_pieces_and_words_has_none) {
  EXPECT_EQ(split("a,,b", ','), (Pieces{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (Pieces{""}));
  EXPECT_EQ(split("a,", ','), (Pieces{"a", ""}));
  EXPECT_EQ(words("  a\tb \n c"), (Pieces{"a", "b", "c"}));
  EXPECT_EQ(words(" \n"), Pieces{});
}

TEST(Text, a_number_is_the_whole_text_or_nothing) {
  EXPECT_EQ(to_int("-42"), -42);
  EXPECT_EQ(to_int("9223372036854775807"), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(to_uint("18446744073709551615"), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(to_double("-2.5e3"), -2500);
  EXPECT_TRUE(std::isnan(to_double("nan").value()));
  EXPECT_TRUE(std::isinf(to_double("inf").value()));
  for (const char* text : {"", " 1", "1 ", "1x", "x", "+1", "0x10", "9223372036854775808"}) {
    EXPECT_EQ(to_int(text), std::nullopt) << text;
  }
  EXPECT_EQ(to_uint("-1"), std::nullopt);
  EXPECT_EQ(to_double("1,5"), std::nullopt);
  EXPECT_EQ(to_double("1e999"), std::nullopt);
}

// The sequences are those of RFC 3629 and of its section on what decoders must refuse.
TEST(Text, valid_utf8_stays_and_each_invalid_byte_is_replaced) {
  const std::string_view r = "\xEF\xBF\xBD";
  EXPECT_EQ(valid_utf8("a\xC3\xBC\xE2\x82\xAC\xF0\x9F\x99\x82"), "aü€🙂");
  EXPECT_EQ(valid_utf8("\xF4\x8F\xBF\xBF"), "\xF4\x8F\xBF\xBF");  // U+10FFFF
  const std::pair<std::string, int> cases[] = {
      {"\xFF", 1},
      {"\x80", 1},
      {"\xC0\xAF", 2},          // overlong
      {"\xE0\x80\x80", 3},      // overlong
      {"\xF0\x80\x80\x80", 4},  // overlong
      {"\xED\xA0\x80", 3},      // a surrogate
      {"\xF4\x90\x80\x80", 4},  // above U+10FFFF
      {"\xE2\x82", 2},          // cut off
      {"\xC3", 1},
  };
  for (const auto& [bytes, n_replaced] : cases) {
    std::string expected = "<";
    for (int i = 0; i < n_replaced; ++i) expected += r;
    EXPECT_EQ(valid_utf8("<" + bytes + ">"), expected + ">");
  }
}

TEST(Text, numbers_print_with_significant_digits_and_no_trailing_zeros) {
  EXPECT_EQ(format_number(0), "0");
  EXPECT_EQ(format_number(0.021400), "0.0214");
  EXPECT_EQ(format_number(93011), "93011");
  EXPECT_EQ(format_number(9.99996), "10");
  EXPECT_EQ(format_number(-1.5), "-1.5");
  EXPECT_EQ(format_number(123.456, 2), "123");
  EXPECT_EQ(format_number(0.0001234567), "0.0001235");
  EXPECT_EQ(format_number(0.00001), "1e-05");
  EXPECT_EQ(format_number(1e15), "1e+15");
  EXPECT_EQ(format_number(123456789012345), "123456789012345");
  EXPECT_EQ(format_number(-std::nan("")), "nan");
  EXPECT_EQ(format_number(-INFINITY), "-inf");
}

TEST(Text, bytes_print_in_the_unit_that_fits) {
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(1024), "1 KiB");
  EXPECT_EQ(format_bytes(12.34 * 1024 * 1024 * 1024), "12.3 GiB");
  EXPECT_EQ(format_bytes(std::pow(1024, 6)), "1024 PiB");
}

TEST(Text, the_nearest_word_is_at_most_two_edits_and_half_the_word_away) {
  const std::array<std::string_view, 4> known = {"interval", "timeout", "node", "port"};
  EXPECT_EQ(nearest_word("intervall", known), "interval");
  EXPECT_EQ(nearest_word("intrvl", known), "interval");
  EXPECT_EQ(nearest_word("tiemout", known), "timeout");
  EXPECT_EQ(nearest_word("interlude", known), "");
  EXPECT_EQ(nearest_word("pt", known), "");
  EXPECT_EQ(nearest_word("", known), "");
  EXPECT_EQ(nearest_word("x", {}), "");
}

TEST(Text, shell_words_are_quoted_where_needed) {
  EXPECT_EQ(shell_quote("a/b-c_d.e:1,2@3%=+"), "a/b-c_d.e:1,2@3%=+");
  EXPECT_EQ(shell_quote(""), "''");
  EXPECT_EQ(shell_quote("a b"), "'a b'");
  EXPECT_EQ(shell_quote("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(shell_quote("~"), "'~'");
}

}  // namespace
}  // namespace auscult
