#include "wire/otlp_values.h"

#include <gtest/gtest.h>

#include "wire/otlp_fields.h"
#include "wire/testing_otlp.h"

namespace auscult::wire {
namespace {

TEST(OtlpValues, texts_are_cut_between_characters_and_made_valid) {
  EXPECT_EQ(text_from("abc", 3), "abc");
  EXPECT_EQ(text_from("abcd", 3), "abc");
  EXPECT_EQ(text_from("é€😀", 9), "é€😀");
  EXPECT_EQ(text_from("é€😀", 8), "é€");
  EXPECT_EQ(text_from("é€😀", 4), "é");
  EXPECT_EQ(text_from("é", 1), "");
  EXPECT_EQ(text_from("\xff", 10), "\xEF\xBF\xBD");
  EXPECT_EQ(text_from("\xff\xff\xff", 4), "\xEF\xBF\xBD");
  EXPECT_EQ(text_from("\x80\x80\x80\x80\x80\x80", 4), "\xEF\xBF\xBD");
  EXPECT_EQ(text_from("x", 0), "");
}

TEST(OtlpValues, an_id_has_its_length_and_is_not_zero) {
  EXPECT_EQ(id_from("\x01\xAB", 2), "01ab");
  EXPECT_EQ(id_from("\x01", 2), "");
  EXPECT_EQ(id_from(std::string(8, '\0'), 8), "");
  EXPECT_EQ(id_from("", 8), "");
}

TEST(OtlpValues, of_a_value_set_twice_the_last_counts) {
  EXPECT_EQ(any_value_text(field(1, "first") + field(1, "second"), 100), "second");
  EXPECT_EQ(any_value_text("", 100), "");
}

TEST(OtlpValues, an_attribute_without_a_key_is_left_out) {
  model::Labels labels;
  append_attribute(labels, field(2, field(1, "v")), 100);
  EXPECT_TRUE(labels.empty());
  append_attribute(labels, field(2, field(1, "v")) + field(1, "k"), 100);
  EXPECT_EQ(labels, (model::Labels{{"k", "v"}}));
}

TEST(OtlpValues, fields_that_are_not_read_are_skipped) {
  const std::string message = field(1, "a") + std::string("\x10\x05", 2) + field(3, "c");
  Fields fields(message);
  for (const uint32_t number : {1U, 2U, 3U}) {
    ASSERT_TRUE(fields.next());
    EXPECT_EQ(fields.number(), number);
  }
  EXPECT_EQ(fields.bytes(), "c");
  EXPECT_FALSE(fields.next());
}

TEST(OtlpValues, repeated_numbers_come_packed_or_one_by_one) {
  std::vector<uint64_t> numbers;
  const std::string message = field(2, std::string("\x01\x02", 2)) + std::string("\x10\x03", 2);
  Fields fields(message);
  while (fields.next()) fields.append_varints(numbers, 10);
  EXPECT_EQ(numbers, (std::vector<uint64_t>{1, 2, 3}));
}

}  // namespace
}  // namespace auscult::wire
