#include "base/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace auscult {
namespace {

Json parsed(std::string_view text) {
  auto json = Json::parse(text);
  EXPECT_TRUE(json) << text << ": " << (json ? "" : json.error().message);
  return json ? *std::move(json) : Json();
}

std::string parse_error(std::string_view text, const Json::Limits& limits = {}) {
  const auto json = Json::parse(text, limits);
  if (json) return "(parsed)";
  EXPECT_EQ(json.error().code, ErrorCode::invalid_input);
  return json.error().message;
}

TEST(Json, a_text_reads_and_prints_back_the_same) {
  for (const std::string text :
       {R"({"b":1,"a":[true,false,null,-7,0.25,"x"],"":{}})", "[]", "{}", "\"\"", "null",
        "9223372036854775807", "-9223372036854775808", "18446744073709551615",
        R"(["\"\\\n\r\t\u0001","ü日本🙂"])"}) {
    EXPECT_EQ(parsed(text).dump(), text);
    EXPECT_EQ(parsed(parsed(text).dump()), parsed(text));
  }
}

TEST(Json, indented_text_has_a_line_for_every_member) {
  EXPECT_EQ(parsed(R"({"a":[1,2],"b":{},"c":[]})").dump(2),
            "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {},\n  \"c\": []\n}");
}

// The numbers of RFC 8785, appendix B, and those at the borders of its rules.
TEST(Json, doubles_print_as_javascript_prints_them) {
  const std::pair<double, const char*> cases[] = {
      {0.0, "0"},
      {5e-324, "5e-324"},
      {1.7976931348623157e308, "1.7976931348623157e+308"},
      {-1.7976931348623157e308, "-1.7976931348623157e+308"},
      {9007199254740992.0, "9007199254740992"},
      {295147905179352830000.0, "295147905179352830000"},
      {9.999999999999997e22, "9.999999999999997e+22"},
      {1e23, "1e+23"},
      {999999999999999900000.0, "999999999999999900000"},
      {1e21, "1e+21"},
      {9.999999999999997e-7, "9.999999999999997e-7"},
      {0.000001, "0.000001"},
      {333333333.3333332, "333333333.3333332"},
      {100000, "100000"},
      {-0.0123, "-0.0123"},
      {12.5, "12.5"},
  };
  for (const auto& [value, text] : cases) {
    EXPECT_EQ(Json(value).dump(), text);
    EXPECT_EQ(parsed(text).number_or(-1), value);
  }
}

TEST(Json, nan_and_infinity_print_as_null) {
  EXPECT_EQ(Json(std::nan("")).dump(), "null");
  EXPECT_EQ(Json(-std::numeric_limits<double>::infinity()).dump(), "null");
}

TEST(Json, an_unsigned_number_equals_the_signed_one_it_reads_back_as) {
  EXPECT_EQ(Json(uint64_t{5}), Json(int64_t{5}));
  EXPECT_EQ(parsed(Json(uint64_t{5}).dump()), Json(uint64_t{5}));
}

TEST(Json, an_integer_that_int64_cannot_hold_keeps_its_digits_and_is_no_int) {
  const Json big = parsed("18446744073709551615");
  EXPECT_TRUE(big.is_integer());
  EXPECT_EQ(big.integer_text(), "18446744073709551615");
  EXPECT_EQ(big.int_or(-1), -1);
  EXPECT_EQ(parsed("1e30").int_or(-1), -1);
  EXPECT_EQ(parsed("18446744073709551616").number_or(0), 18446744073709551616.0);
}

TEST(Json, numbers_convert_to_one_another_and_nothing_else_does) {
  EXPECT_EQ(parsed("2.9").int_or(0), 2);
  EXPECT_EQ(parsed("2").number_or(0), 2.0);
  EXPECT_EQ(parsed("\"2\"").int_or(7), 7);
  EXPECT_EQ(parsed("true").number_or(7), 7);
  EXPECT_EQ(parsed("1").bool_or(false), false);
  EXPECT_EQ(parsed("1").string_or("no"), "no");
}

TEST(Json, a_chain_of_lookups_in_what_is_absent_is_null) {
  const Json json = parsed(R"({"a":{"b":1}})");
  EXPECT_EQ(json["a"]["b"].int_or(0), 1);
  EXPECT_TRUE(json["x"]["y"]["z"].is_null());
  EXPECT_TRUE(parsed("[1]")["a"].is_null());
  EXPECT_TRUE(json.has("a"));
  EXPECT_FALSE(json.has("b"));
}

TEST(Json, a_repeated_key_keeps_its_last_value_in_its_first_place) {
  EXPECT_EQ(parsed(R"({"a":1,"b":2,"a":3,"c":4,"a":{"x":1,"x":2}})").dump(),
            R"({"a":{"x":2},"b":2,"c":4})");
}

// Comparing every key with every other took minutes for this text of 3 MB.
TEST(Json, an_object_of_many_keys_is_read_in_time) {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) text += "\"key" + std::to_string(i) + "\":1,";
  text.back() = '}';

  EXPECT_EQ(parsed(text).object().size(), 200'000U);
}

TEST(Json, a_syntax_error_says_line_and_column) {
  EXPECT_NE(parse_error("{\"a\": 1,\n \"b\": tru}").find("line 2, column 10"), std::string::npos)
      << parse_error("{\"a\": 1,\n \"b\": tru}");
}

TEST(Json, what_is_no_json_is_refused) {
  for (const char* text : {"", " ", "{", "[1,]", "{\"a\"}", "nul", "NaN", "'a'", "1 2", "[1] x",
                           "\"\\ud800\"", "\"a\nb\"", "01", "1e999", "{1:2}"}) {
    EXPECT_NE(parse_error(text), "(parsed)") << text;
  }
}

TEST(Json, invalid_utf8_is_refused_when_read_and_replaced_when_written) {
  EXPECT_NE(parse_error("\"\xff\""), "(parsed)");
  EXPECT_NE(parse_error("\"\xc0\xaf\""), "(parsed)");
  EXPECT_EQ(Json(std::string("a\xff")).dump(), "\"a\xEF\xBF\xBD\"");
  EXPECT_EQ(Json().set("\xfe", 1).dump(), "{\"\xEF\xBF\xBD\":1}");
}

TEST(Json, depth_is_limited) {
  const std::string deep(100, '[');
  EXPECT_TRUE(Json::parse(deep + std::string(100, ']')));
  EXPECT_EQ(parse_error("[" + deep + std::string(101, ']')),
            "invalid JSON: nested deeper than 100 levels");
  EXPECT_EQ(parse_error("[[1]]", {.depth = 1}), "invalid JSON: nested deeper than 1 levels");
  // Without a limit in the way of the parser this would overflow the stack.
  EXPECT_NE(parse_error(std::string(1'000'000, '[')), "(parsed)");
}

TEST(Json, size_is_limited) {
  EXPECT_EQ(parse_error("[1,2]", {.bytes = 4}), "JSON text of 5 bytes, the limit is 4");
  EXPECT_TRUE(Json::parse("[1,2]", {.bytes = 5}));
}

TEST(Json, canonical_text_does_not_depend_on_the_order_of_members) {
  const Json one = parsed(R"({"b": [ {"z":1, "y":2.50} ], "a":1, "B":null})");
  const Json other = parsed(R"({"a":1,"B":null,"b":[{"y":2.5,"z":1}]})");
  EXPECT_EQ(one.canonical(), R"({"B":null,"a":1,"b":[{"y":2.5,"z":1}]})");
  EXPECT_EQ(one.canonical(), other.canonical());
}

TEST(Json, set_replaces_and_push_appends) {
  Json json;
  json.set("a", 1).set("b", Json().push(1).push("x")).set("a", 2);
  EXPECT_EQ(json.dump(), R"({"a":2,"b":[1,"x"]})");
}

}  // namespace
}  // namespace auscult
