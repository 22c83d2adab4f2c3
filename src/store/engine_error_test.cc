#include "store/engine_error.h"

#include <gtest/gtest.h>

namespace auscult::store {
namespace {

// Messages as ClickHouse 26.7 wrote them.
TEST(EngineError, a_full_disk_or_memory_can_be_tried_again) {
  EXPECT_EQ(engine_error("Code: 243. DB::Exception: Cannot reserve 1.00 MiB, not enough space. "
                         "(NOT_ENOUGH_SPACE) (version 26.7.2.1)")
                .code,
            ErrorCode::unavailable);
  EXPECT_EQ(
      engine_error("Code: 1001. DB::Exception: filesystem error: No space left on device").code,
      ErrorCode::unavailable);
  EXPECT_EQ(engine_error("Code: 241. DB::Exception: memory").code, ErrorCode::unavailable);
}

TEST(EngineError, a_wrong_statement_is_the_callers) {
  const Error error = engine_error(
      "Code: 62. DB::Exception: Syntax error: failed at position 1 (SELEC): SELEC 1. Expected one "
      "of: SELECT, SHOW. (SYNTAX_ERROR)");
  EXPECT_EQ(error.code, ErrorCode::invalid_input);
  EXPECT_EQ(error.message, "ClickHouse: Syntax error: failed at position 1 (SELEC): SELEC 1");
}

TEST(EngineError, others_are_internal_and_one_line) {
  const Error error = engine_error(
      "Code: 33. DB::Exception: Cannot read all data: (at row 30)\n: While executing X. "
      "(CANNOT_READ_ALL_DATA) (version 26.7.2.1)");
  EXPECT_EQ(error.code, ErrorCode::internal);
  EXPECT_EQ(error.message.find('\n'), std::string::npos);
  EXPECT_EQ(engine_error("Invalid insert stream").message, "ClickHouse: Invalid insert stream");
}

TEST(EngineError, a_long_message_is_cut) {
  EXPECT_LT(engine_error("Code: 1. DB::Exception: " + std::string(100'000, 'x')).message.size(),
            600U);
}

}  // namespace
}  // namespace auscult::store
