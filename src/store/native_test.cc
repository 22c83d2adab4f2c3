#include "store/native.h"

#include <gtest/gtest.h>

namespace auscult::store {
namespace {

TEST(Native, has_the_bytes_that_clickhouse_reads) {
  std::string data;
  NativeBlock block(data, 1, 2);
  block.begin_column("n", "UInt64");
  block.repeat(uint64_t{258}, 2);
  block.finish();
  EXPECT_EQ(data, std::string("\1\2\1n\6UInt64\2\1\0\0\0\0\0\0\2\1\0\0\0\0\0\0", 27));
}

TEST(Native, columns_of_any_length_read_back) {
  for (const size_t n : {1U, 511U, 512U, 513U, 5000U}) {
    std::vector<double> values;
    for (size_t i = 0; i < n; ++i) values.push_back(static_cast<double>(i) + 0.5);
    std::string data;
    NativeBlock block(data, 2, n);
    block.begin_column("time", "DateTime64(3, 'UTC')");
    block.repeat(int64_t{-7}, n);
    block.begin_column("value", "Float64");
    block.append(values.data(), 1);
    block.append(values.data() + 1, n - 1);
    block.finish();

    const NativeReader reader(data);
    EXPECT_EQ(reader.column<double>("value"), values);
    EXPECT_EQ(reader.column<int64_t>("time"), std::vector<int64_t>(n, -7));
    EXPECT_TRUE(reader.column<int64_t>("other").empty());
  }
}

TEST(Native, a_damaged_block_has_no_columns) {
  std::string data;
  NativeBlock block(data, 1, 2);
  block.begin_column("n", "UInt64");
  block.repeat(uint64_t{1}, 2);
  block.finish();
  for (size_t length = 0; length < data.size(); ++length) {
    EXPECT_TRUE(
        NativeReader(std::string_view(data).substr(0, length)).column<uint64_t>("n").empty());
  }
}

}  // namespace
}  // namespace auscult::store
