#include "wire/otlp_schema.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace auscult::wire {
namespace {

TEST(OtlpSchema, no_message_has_a_key_or_a_number_twice) {
  for (auto shape = static_cast<int>(Shape::metrics_request);
       shape <= static_cast<int>(Shape::key_value_list); ++shape) {
    const auto fields = fields_of(static_cast<Shape>(shape));
    EXPECT_FALSE(fields.empty()) << shape;
    std::set<std::string> names;
    std::set<uint32_t> numbers;
    for (const auto& field : fields) {
      EXPECT_TRUE(names.insert(std::string(field.name)).second) << field.name;
      EXPECT_TRUE(numbers.insert(field.number).second) << field.name;
      EXPECT_EQ(field.type == Type::message, field.shape != Shape::none) << field.name;
    }
  }
  EXPECT_TRUE(fields_of(Shape::none).empty());
}

}  // namespace
}  // namespace auscult::wire
