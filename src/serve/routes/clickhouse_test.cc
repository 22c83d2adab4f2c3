#include "serve/testing.h"

namespace auscult::serve {
namespace {

net::Response call(Api& api, const std::string& method, const std::string& path,
                   const net::Headers& query = {}, const std::string& body = {}) {
  return answer_now(api.router, request_of(method, path, body, query), api.context);
}

TEST(ClickhouseRoute, hands_the_statement_to_the_engine_and_its_answer_back) {
  Api api;
  api.store.one_cell.raw = {.body = "{\"x\":1}\n", .format = "JSONEachRow"};
  const auto answer = call(api, "POST", "/clickhouse/", {{"param_n", "5"}, {"query_id", "mine"}},
                           "SELECT {n:UInt8} AS x FORMAT JSONEachRow");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "{\"x\":1}\n");
  EXPECT_EQ(net::header(answer.headers, "X-ClickHouse-Query-Id"), "mine");
  EXPECT_EQ(api.store.one_cell.asked_raw.sql, "SELECT {n:UInt8} AS x FORMAT JSONEachRow");
  EXPECT_EQ(api.store.one_cell.asked_raw.parameters, (store::Parameters{{"n", "5"}}));
}

TEST(ClickhouseRoute, every_query_has_an_id_of_its_own) {
  Api api;
  const net::Headers query = {{"query", "SELECT 1"}};
  const auto first = call(api, "GET", "/clickhouse", query);
  const auto second = call(api, "GET", "/clickhouse", query);
  const std::string id(net::header(first.headers, "X-ClickHouse-Query-Id"));
  EXPECT_EQ(id.size(), 36U);
  EXPECT_NE(id, net::header(second.headers, "X-ClickHouse-Query-Id"));
}

TEST(ClickhouseRoute, an_error_is_an_exception_and_no_json) {
  Api api;
  const std::string text = "Code: 60. DB::Exception: Unknown table. (UNKNOWN_TABLE)";
  api.store.one_cell.failure = Error{ErrorCode::invalid_input, text};
  const auto answer = call(api, "POST", "/clickhouse", {}, "SELECT * FROM x");
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.body, text + "\n");
  EXPECT_EQ(call(api, "POST", "/clickhouse", {{"compress", "1"}}, "SELECT 1").status, 501);
}

TEST(ClickhouseRoute, says_that_it_is_there) {
  Api api;
  EXPECT_EQ(call(api, "GET", "/clickhouse/ping").body, "Ok.\n");
  EXPECT_EQ(call(api, "GET", "/clickhouse/").body, "Ok.\n");
  EXPECT_EQ(call(api, "HEAD", "/clickhouse").status, 200);
}

}  // namespace
}  // namespace auscult::serve
