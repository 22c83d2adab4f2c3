#include "grpc/address.h"

#include <gtest/gtest.h>

namespace auscult::grpc {
namespace {

TEST(Address, a_host_name_is_no_address) {
  EXPECT_EQ(*listening_address("127.0.0.1", 4317), "127.0.0.1:4317");
  EXPECT_EQ(*listening_address("::1", 0), "[::1]:0");
  for (const std::string wrong : {"localhost", "", "[::1]", "127.0.0.1:80", "1.2.3"}) {
    const auto address = listening_address(wrong, 1);
    ASSERT_FALSE(address) << wrong;
    EXPECT_EQ(address.error().code, ErrorCode::invalid_input);
  }
}

TEST(Address, the_kernel_says_why_it_cannot_be_bound) {
  EXPECT_TRUE(try_to_bind("127.0.0.1", 0));
  // 192.0.2.0/24 and 2001:db8::/32 are for documentation (RFC 5737, RFC 3849): no host has them.
  for (const std::string elsewhere : {"192.0.2.1", "2001:db8::1"}) {
    const auto bound = try_to_bind(elsewhere, 0);
    ASSERT_FALSE(bound);
    EXPECT_EQ(bound.error().code, ErrorCode::unavailable);
  }
  EXPECT_EQ(try_to_bind("192.0.2.1", 0).error().message, "Cannot assign requested address");
}

TEST(Address, a_peer_is_written_as_in_a_url) {
  EXPECT_EQ(peer_address("ipv4:127.0.0.1:80"), "127.0.0.1:80");
  EXPECT_EQ(peer_address("ipv6:%5B::1%5D:80"), "[::1]:80");
}

}  // namespace
}  // namespace auscult::grpc
