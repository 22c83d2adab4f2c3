#include "store/exception.h"

#include <gtest/gtest.h>

namespace auscult::store {
namespace {

TEST(Exception, has_the_form_that_clients_take_apart) {
  const std::string text = exception_text(syntax_error, "failed at position 1");
  EXPECT_EQ(text, "Code: 62. DB::Exception: failed at position 1. (SYNTAX_ERROR)");
  EXPECT_EQ(exception_code(text), 62);
}

TEST(Exception, other_text_has_no_code) {
  EXPECT_EQ(exception_code(""), 0);
  EXPECT_EQ(exception_code("Code: x. DB::Exception"), 0);
  EXPECT_EQ(exception_code("Code: 99999999999999999999. "), 0);
  EXPECT_EQ(exception_code("bad gateway"), 0);
}

}  // namespace
}  // namespace auscult::store
