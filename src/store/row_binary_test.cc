#include "store/row_binary.h"

#include <gtest/gtest.h>

namespace auscult::store {
namespace {

// Expected bytes are worked out from ClickHouse's description of RowBinary.
TEST(RowBinary, numbers_are_little_endian) {
  std::string data;
  put_number(data, uint64_t{0x0102030405060708});
  put_number(data, int8_t{-1});
  put_number(data, 1.0);
  EXPECT_EQ(data, std::string("\x08\x07\x06\x05\x04\x03\x02\x01\xff\0\0\0\0\0\0\xf0\x3f", 17));
}

TEST(RowBinary, lengths_are_leb128) {
  std::string data;
  put_length(data, 0);
  put_length(data, 127);
  put_length(data, 128);
  put_length(data, 300);
  EXPECT_EQ(data, std::string("\0\x7f\x80\x01\xac\x02", 6));
}

TEST(RowBinary, texts_maps_and_arrays_have_a_length_before_them) {
  std::string data;
  put_text(data, std::string_view("a\0b", 3));
  put_labels(data, {{"k", "v"}});
  put_texts(data, {"x", ""});
  put_numbers(data, {});
  EXPECT_EQ(data, std::string("\x03"
                              "a\0b\x01\x01k\x01v\x02\x01x\0\0",
                              14));
}

TEST(RowBinary, tags_are_six_texts_in_the_order_of_the_columns) {
  std::string data;
  put_tags(
      data,
      {.cluster = "c", .node_id = "n", .job_id = "j", .model_name = "m", .rank = "r", .gpu = "g"});
  EXPECT_EQ(data, "\1c\1n\1j\1m\1r\1g");
}

}  // namespace
}  // namespace auscult::store
