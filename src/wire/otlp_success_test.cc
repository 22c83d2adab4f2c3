#include <gtest/gtest.h>

#include "wire/otlp.h"

namespace auscult::wire {
namespace {

// The bytes were worked out by hand from the field numbers.
TEST(OtlpSuccess, says_how_many_were_rejected_and_why) {
  const auto success = decode_success("\x0a\x07\x08\xac\x02\x12\x02no");
  ASSERT_TRUE(success) << success.error().message;
  EXPECT_EQ(success->rejected, 300U);
  EXPECT_EQ(success->message, "no");
}

TEST(OtlpSuccess, an_empty_answer_rejects_nothing) {
  const auto success = decode_success("");
  ASSERT_TRUE(success) << success.error().message;
  EXPECT_EQ(success->rejected, 0U);
  EXPECT_EQ(success->message, "");
}

TEST(OtlpSuccess, fields_that_are_not_known_are_skipped) {
  const auto success = decode_success("\x10\x05\x0a\x04\x18\x01\x08\x02");
  ASSERT_TRUE(success) << success.error().message;
  EXPECT_EQ(success->rejected, 2U);
}

TEST(OtlpSuccess, what_is_no_answer_is_invalid) {
  for (const char* body : {"OK", "{}", "\x0a\x07\x08", "<html>"}) {
    EXPECT_FALSE(decode_success(body)) << body;
  }
}

}  // namespace
}  // namespace auscult::wire
