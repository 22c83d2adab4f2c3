#include "grpc/message.h"

#include <gtest/gtest.h>

#include "wire/compression.h"

namespace auscult::grpc {
namespace {

// ResourceMetrics, field 1, of 3 bytes; what is inside does not matter here.
const std::string message("\x0a\x03\x0a\x01\x00", 5);

TEST(Message, gzip_and_zstd_are_unpacked_and_what_is_not_packed_stays) {
  EXPECT_EQ(*unpack(message, 5), message);
  EXPECT_EQ(*unpack(*wire::compress("gzip", message), 5), message);
  EXPECT_EQ(*unpack(*wire::compress("zstd", message), 5), message);
  EXPECT_EQ(*unpack("", 5), "");
}

TEST(Message, more_than_the_bound_is_refused) {
  for (const auto& packed :
       {message, *wire::compress("gzip", message), *wire::compress("zstd", message)}) {
    const auto unpacked = unpack(packed, 4);
    ASSERT_FALSE(unpacked);
    EXPECT_EQ(unpacked.error().code, ErrorCode::invalid_input);
  }
}

TEST(Message, snappy_is_refused_by_name) {
  // The stream identifier that framed snappy starts with (google/snappy, framing_format.txt).
  const auto unpacked = unpack(std::string("\xff\x06\x00\x00sNaPpY", 10), 100);
  ASSERT_FALSE(unpacked);
  EXPECT_EQ(unpacked.error().message, "the message is packed by snappy: use gzip or zstd");
}

}  // namespace
}  // namespace auscult::grpc
