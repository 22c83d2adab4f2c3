// Bytes as libchdb 26.7 prints them for the statements named; embedded_user_query_test.cc has the
// types of the whole schema on the engine itself.

#include "store/native_blocks.h"

#include <gtest/gtest.h>

namespace auscult::store {
namespace {

using namespace std::string_literals;

const std::string info = "\x01\x00\x02\xff\xff\xff\xff\x00"s;

std::string refusal(const std::string& blocks) {
  const auto framed = with_frames(blocks, 54454);
  return framed ? "framed" : framed.error().message;
}

TEST(NativeBlocks, a_block_gets_its_info_and_each_column_its_byte) {
  // SELECT 1 AS a, 'x' AS b
  const std::string block = "\x02\x01\x01"s + "a\x05UInt8\x01\x01"s + "b\x06String\x01x"s;
  const auto framed = with_frames(block, 54454);
  ASSERT_TRUE(framed) << framed.error().message;
  EXPECT_EQ(*framed, info + "\x02\x01\x01"s + "a\x05UInt8\x00\x01\x01"s + "b\x06String\x00\x01x"s);
  EXPECT_EQ(*with_frames(block, min_native_version), info + block);
  EXPECT_EQ(*with_frames(block + block, min_native_version), info + block + info + block);
  EXPECT_EQ(*with_frames("", 54454), "");
}

TEST(NativeBlocks, a_dictionary_is_walked_over) {
  // SELECT toLowCardinality('x') AS b
  const std::string head = "\x01\x01\x01"s + "b\x16LowCardinality(String)"s;
  const std::string column =
      "\x01\0\0\0\0\0\0\0\0\x06\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\0\x01x\x01\0\0\0\0\0\0\0\x01"s;
  const auto framed = with_frames(head + column, 54460);
  ASSERT_TRUE(framed) << framed.error().message;
  EXPECT_EQ(*framed, info + head + "\0"s + column);
}

TEST(NativeBlocks, elements_of_a_tuple_may_have_names) {
  EXPECT_EQ(refusal("\x01\x01\x01t\x1dTuple(a UInt8, `b, c` UInt16)\x01\x02\x03"s), "framed");
}

TEST(NativeBlocks, damaged_bytes_and_unknown_types_are_refused) {
  EXPECT_EQ(refusal("\x01\x01\x01"s + "a\x05UInt8"), "Native: a block ends early");
  EXPECT_EQ(refusal("\x01\x05\x01"s + "a\x06String\xff\xff\xff\xff\xff\xff\xff\xff\x7f"),
            "Native: a block ends early");
  EXPECT_EQ(refusal("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
            "Native: a number is too long");
  EXPECT_EQ(refusal("\x01\x01\x01"s + "a\x04JSON\x01"),
            "Native: columns of type JSON are not supported here");
  std::string deep;
  for (int i = 0; i < 40; ++i) deep += "Nullable(";
  deep += "UInt8" + std::string(40, ')');
  std::string block = "\x01\x01\x01"s + "a";
  block += static_cast<char>(0x80U | (deep.size() & 0x7fU));
  block += static_cast<char>(deep.size() >> 7U);
  EXPECT_EQ(refusal(block + deep + std::string(100, '\0')), "Native: a type is nested too deeply");
}

}  // namespace
}  // namespace auscult::store
