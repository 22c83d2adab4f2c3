// Statements of ClickHouse's clients on the real libchdb, where there is one.

#include <gtest/gtest.h>

#include <cstdlib>

#include "store/engine.h"
#include "store/exception.h"
#include "store/native_blocks.h"
#include "store/test_folder.h"
#include "store/test_library.h"
#include "store/user_sql_attempts.h"

namespace auscult::store {
namespace {

namespace fs = std::filesystem;

class UserQueryTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* library = std::getenv("AUSCULT_LIBCHDB");
    if (const auto why = why_no_library(library); !why.empty()) GTEST_SKIP() << why;
    auto engine =
        open_embedded({.data = folder_.path() / "data", .library = library, .connections = 2});
    ASSERT_TRUE(engine) << engine.error().message;
    engine_ = *std::move(engine);
    const auto made =
        engine_->execute("CREATE TABLE pairs (a UInt64, b Float64) ENGINE = MergeTree ORDER BY a");
    ASSERT_TRUE(made) << made.error().message;
  }

  Result<UserAnswer> ask(const std::string& sql, const std::string& format = "TSV",
                         const Parameters& settings = {}, const Parameters& parameters = {}) {
    return engine_->query_user_raw(
        {.sql = sql, .parameters = parameters, .settings = settings, .format = format});
  }

  std::string body(const std::string& sql, const std::string& format = "TSV",
                   const Parameters& settings = {}, const Parameters& parameters = {}) {
    const auto answer = ask(sql, format, settings, parameters);
    return answer ? answer->body : answer.error().message;
  }

  TestFolder folder_{testing::TempDir(), "user_query"};
  std::unique_ptr<Engine> engine_;
};

TEST_F(UserQueryTest, the_statements_format_wins_over_the_default) {
  const auto answer = ask("SELECT 1 AS x FORMAT JSONEachRow");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "{\"x\":1}\n");
  EXPECT_EQ(answer->format, "JSONEachRow");
  EXPECT_EQ(answer->content_type, "application/x-ndjson; charset=UTF-8");
  EXPECT_EQ(answer->rows, 1U);
  EXPECT_EQ(body("SELECT 1 AS x", "CSVWithNames"), "\"x\"\n1\n");
  EXPECT_EQ(body("SHOW TABLES FORMAT CSV"), "\"pairs\"\n");
  EXPECT_EQ(body("DESCRIBE pairs FORMAT JSONCompactEachRow").substr(0, 14), "[\"a\", \"UInt64\"");
}

TEST_F(UserQueryTest, a_parameter_is_read_as_a_cell) {
  EXPECT_EQ(body("SELECT {x:String} = 'a\tb'", "TSV", {}, {{"x", "a\\tb"}}), "1\n");
  EXPECT_EQ(body("SELECT {x:Array(String)}[2]", "TSV", {}, {{"x", "['a','it\\'s']"}}), "it\\'s\n");
}

TEST_F(UserQueryTest, a_setting_lasts_for_one_statement) {
  const Parameters quoted = {{"output_format_json_quote_64bit_integers", "1"}};
  EXPECT_EQ(body("SELECT toUInt64(7) AS x", "JSONEachRow", quoted), "{\"x\":\"7\"}\n");
  EXPECT_EQ(body("SELECT toUInt64(7) AS x", "JSONEachRow"), "{\"x\":7}\n");
}

TEST_F(UserQueryTest, settings_that_are_unknown_or_forbidden_say_so_in_clickhouses_words) {
  EXPECT_EQ(body("SELECT 1", "TSV", {{"no_such_setting", "1"}}),
            "Code: 115. DB::Exception: Unknown setting 'no_such_setting'. (UNKNOWN_SETTING)");
  EXPECT_EQ(
      body("SELECT 1", "TSV", {{"readonly", "0"}}),
      "Code: 164. DB::Exception: Cannot modify 'readonly' setting in readonly mode. (READONLY)");
  EXPECT_EQ(exception_code(body("SELECT 1", "TSV", {{"max_threads", "many"}})), 27);
}

TEST_F(UserQueryTest, a_query_has_a_time_and_a_memory) {
  const std::string slow =
      "SELECT count() FROM numbers(100000000000) WHERE NOT ignore(sipHash64(number))";
  EXPECT_EQ(exception_code(body(slow, "TSV", {{"max_execution_time", "0.2"}})), 159);
  const std::string large = "SELECT uniqExact(toString(number)) FROM numbers(20000000)";
  EXPECT_EQ(exception_code(body(large, "TSV", {{"max_memory_usage", "100000000"}})), 241);
}

TEST_F(UserQueryTest, an_answer_has_a_length) {
  // Small cells under a long name: the rows are few bytes, their print is not.
  const std::string wide = "SELECT number AS " + std::string(20'000, 'a') + " FROM numbers(15000)";
  EXPECT_EQ(exception_code(body(wide, "JSONEachRow")), 396);
  const std::string rows = "SELECT number FROM numbers(1000001)";
  EXPECT_EQ(exception_code(body(rows, "TSV", {{"max_result_rows", "0"}})), 396);
}

TEST_F(UserQueryTest, what_writes_or_reaches_outside_is_refused) {
  for (const std::string& sql : attempts_in(folder_.path())) {
    const auto answer = ask(sql);
    ASSERT_FALSE(answer) << "ran: " << sql;
    EXPECT_NE(exception_code(answer.error().message), 0) << sql << "\n" << answer.error().message;
  }
  EXPECT_FALSE(fs::exists(folder_.path() / "out.csv"));
  EXPECT_EQ(body("SELECT count() FROM pairs"), "0\n");
  EXPECT_EQ(exception_code(body("SELECT * FROM file('x')")), 497);
  EXPECT_EQ(exception_code(body("INSERT INTO pairs VALUES (1, 2)")), 164);
}

TEST_F(UserQueryTest, a_format_that_reaches_outside_is_refused) {
  for (const std::string format : {"Template", "Protobuf", "AvroConfluent", "Nope"}) {
    EXPECT_EQ(exception_code(body("SELECT 1 AS a FORMAT " + format)), 73) << format;
    EXPECT_EQ(exception_code(body("SELECT 1 AS a", format)), 73) << format;
  }
  EXPECT_NE(exception_code(body("SELECT 1 FORMAT {f:Identifier}", "TSV", {}, {{"f", "Template"}})),
            0);
}

TEST_F(UserQueryTest, native_blocks_of_many_types_are_walked_to_their_end) {
  const std::string columns =
      "SELECT number, toString(number) AS s, toNullable(toInt16(number)) AS n, "
      "toLowCardinality(toNullable(toString(number % 7))) AS l, range(number % 4) AS r, "
      "arrayMap(x -> toLowCardinality(toString(x)), range(number % 3)) AS al, "
      "map('k', toLowCardinality('v'), toString(number), 'w') AS m, "
      "CAST((number, 'x'), 'Tuple(`a b` UInt64, c LowCardinality(String))') AS t, "
      "CAST(map('a', 1.5), 'Map(LowCardinality(String), Float64)') AS ml, "
      "toDateTime64(number, 9, 'UTC') AS d, CAST('a', 'Enum8(''a'' = 1, ''b,('' = 2)') AS e, "
      "toFixedString('abc', 5) AS f, toDecimal64(number, 3) AS dec, NULL AS nothing, "
      "generateUUIDv4() AS u, toIPv6('::1') AS ip, [] AS empty, now() AS ts "
      "FROM numbers(";
  for (const std::string rows : {"0)", "1)", "200000)"}) {
    const auto answer = ask(columns + rows, "Native", {{"max_block_size", "10000"}});
    ASSERT_TRUE(answer) << answer.error().message;
    const auto framed = with_frames(answer->body, 54460);
    ASSERT_TRUE(framed) << rows << " " << framed.error().message;
    EXPECT_EQ((framed->size() - answer->body.size()) % (8 + 18), 0U) << rows;
  }
}

TEST_F(UserQueryTest, a_failed_statement_leaves_nothing_for_the_next) {
  EXPECT_EQ(exception_code(body("SELECT throwIf(number = 3) FROM numbers(10)")), 395);
  EXPECT_EQ(body("SELECT 42"), "42\n");
}

}  // namespace
}  // namespace auscult::store
