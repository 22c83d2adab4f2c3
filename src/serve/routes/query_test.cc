#include "serve/testing.h"

namespace auscult::serve {
namespace {

TEST(QueryRoute, cells_are_numbers_where_their_type_is_one) {
  Api api;
  api.store.one_cell.table = {
      .names = {"a", "b", "c", "d"},
      .types = {"Int64", "String", "Float64", "UInt64"},
      .rows = {{"-5", "7", "1.5", "18446744073709551615"}, {"\\N", "x", "nan", "0"}}};

  const auto answer =
      api.json("POST", "/query/sql", R"({"sql":"SELECT 1","parameters":{"n":3,"s":"t"}})");

  EXPECT_EQ(api.store.one_cell.asked, "SELECT 1");
  EXPECT_EQ(api.store.one_cell.parameters, (store::Parameters{{"n", "3"}, {"s", "t"}}));
  EXPECT_EQ(answer["columns"].array()[2]["type"], Json("Float64"));
  EXPECT_EQ(answer["rows"].array()[0].dump(), R"([-5,"7",1.5,"18446744073709551615"])");
  // A number that JSON has no word for is null.
  EXPECT_EQ(answer["rows"].array()[1].dump(), R"(["\\N","x",null,0])");
}

TEST(QueryRoute, what_the_store_refuses_is_the_users_error) {
  Api api;
  api.store.one_cell.failure = Error{ErrorCode::invalid_input, "only reading is allowed"};
  EXPECT_EQ(api.refusal("POST", "/query/sql", R"({"sql":"DROP TABLE x"})"),
            "400 only reading is allowed");
}

}  // namespace
}  // namespace auscult::serve
