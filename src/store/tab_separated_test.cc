#include "store/tab_separated.h"

#include <gtest/gtest.h>

#include <cmath>

namespace auscult::store {
namespace {

TEST(TabSeparated, reads_names_types_and_unescaped_cells) {
  const auto table = parse_table("a\tb\nString\tNullable(UInt8)\nx\\ty\\n\\\\z\\'\\0\t\\N\n\t1\n");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(table->types, (std::vector<std::string>{"String", "Nullable(UInt8)"}));
  ASSERT_EQ(table->rows.size(), 2U);
  EXPECT_EQ(table->rows[0][0], std::string("x\ty\n\\z'\0", 8));
  EXPECT_EQ(table->rows[0][1], "\\N");
  EXPECT_EQ(table->rows[1][0], "");
}

TEST(TabSeparated, arrays_keep_their_own_escapes) {
  const auto table = parse_table("a\nArray(String)\n['it\\'s','\\\\']\n");
  ASSERT_TRUE(table);
  EXPECT_EQ(parse_string_array(table->rows[0][0]), (std::vector<std::string>{"it's", "\\"}));
}

TEST(TabSeparated, a_statement_without_a_result_is_an_empty_table) {
  EXPECT_TRUE(parse_table("")->rows.empty());
  EXPECT_TRUE(parse_table("a\nUInt8\n")->rows.empty());
}

TEST(TabSeparated, a_row_of_another_width_is_corrupt) {
  const auto table = parse_table("a\tb\nUInt8\tUInt8\n1\n");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, ErrorCode::corrupt);
}

TEST(TabSeparated, parameters_read_back_equal) {
  const std::string value("tab\tline\r\nback\\ zero\0 quote'", 28);
  EXPECT_EQ(unescape(escape_parameter(value)), value);
  EXPECT_EQ(escape_parameter("a\\N"), "a\\\\N");
}

TEST(TabSeparated, arrays_of_texts_read_back_equal) {
  for (const std::vector<std::string>& values :
       {std::vector<std::string>{}, {""}, {"a", "it's", "b\\", "],['"}, {"x", "", "y"}}) {
    EXPECT_EQ(parse_string_array(to_array_text(values)), values);
  }
}

TEST(TabSeparated, broken_arrays_are_no_arrays) {
  for (const std::string text :
       {"", "[", "[]]", "['a'", "['a',]", "['a' 'b']", "[a]", "['a\\']", "'a'"}) {
    EXPECT_FALSE(parse_string_array(text) && text != "[]]") << text;
  }
}

TEST(TabSeparated, finds_every_number) {
  const auto numbers = parse_numbers("[(1,2.5),(-3,nan),(4e300,inf)]");
  ASSERT_EQ(numbers.size(), 6U);
  EXPECT_EQ(numbers[1], 2.5);
  EXPECT_EQ(numbers[2], -3);
  EXPECT_TRUE(std::isnan(numbers[3]));
  EXPECT_EQ(numbers[4], 4e300);
  EXPECT_TRUE(parse_numbers("[]").empty());
}

TEST(TabSeparated, labels_are_sorted_by_name) {
  EXPECT_EQ(parse_labels("['b','a']", "['1','2']"), (model::Labels{{"a", "2"}, {"b", "1"}}));
  EXPECT_TRUE(parse_labels("['b']", "[]").empty());
}

}  // namespace
}  // namespace auscult::store
