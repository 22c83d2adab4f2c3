#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/named.h"

namespace auscult {
namespace {

Result<std::unique_ptr<int>> half(int number) {
  if (number % 2 != 0) return Error{ErrorCode::invalid_input, std::to_string(number) + " is odd"};
  return std::make_unique<int>(number / 2);
}

Result<int> quarter(int number) {
  const auto once = TRY(half(number), "halving");
  return *TRY(half(*once));
}

TEST(Result, try_passes_the_value_on_also_one_that_can_only_be_moved) {
  EXPECT_EQ(*quarter(12), 3);
}

TEST(Result, try_passes_the_error_up_with_its_context_in_front) {
  EXPECT_EQ(quarter(7).error().message, "halving: 7 is odd");
  EXPECT_EQ(quarter(6).error().message, "3 is odd");
  EXPECT_EQ(quarter(7).error().code, ErrorCode::invalid_input);
}

TEST(Named, a_row_is_found_by_its_name_or_there_is_null) {
  const std::vector<Named<int>> table = {{"one", 1}, {"two", 2}};
  ASSERT_NE(find_named(table, "two"), nullptr);
  EXPECT_EQ(*find_named(table, "two"), 2);
  EXPECT_EQ(find_named(table, "three"), nullptr);
}

}  // namespace
}  // namespace auscult
