#include "grpc/error_details.h"

#include <gtest/gtest.h>

namespace auscult::grpc {
namespace {

using std::chrono_literals::operator""s;

// Worked out by hand from the .proto files: status {1: code, 2: message, 3: Any {1: type URL,
// 2: RetryInfo {1: Duration {1: seconds}}}}.
TEST(ErrorDetails, a_retry_is_a_status_around_retry_info_around_a_duration) {
  const std::string any =
      "\x0a\x28type.googleapis.com/google.rpc.RetryInfo"  // 40 characters
      "\x12\x05\x0a\x03\x08\xac\x02";                     // 300 = 0x2c | 0x80, 0x02

  EXPECT_EQ(retry_details(8, "full", 300s),
            "\x08\x08\x12\x04"
            "full\x1a\x31" +
                any);
}

}  // namespace
}  // namespace auscult::grpc
