#include "serve/clickhouse_http.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "wire/compression.h"

namespace auscult::serve {
namespace {

net::Request request_with(net::Headers query, net::Headers headers = {}, std::string body = {}) {
  return {.method = "POST",
          .path = "/clickhouse",
          .query = std::move(query),
          .headers = std::move(headers),
          .body = std::move(body),
          .remote = "127.0.0.1:5"};
}

std::string refusal(const net::Request& request) {
  const auto parsed = parse_clickhouse(request);
  return parsed ? "taken" : parsed.error().message;
}

TEST(ClickhouseHttp, the_statement_is_the_parameter_then_the_body) {
  EXPECT_EQ(parse_clickhouse(request_with({{"query", "SELECT 1"}}))->query.sql, "SELECT 1");
  EXPECT_EQ(parse_clickhouse(request_with({}, {}, "SELECT 2"))->query.sql, "SELECT 2");
  EXPECT_EQ(parse_clickhouse(request_with({{"query", "SELECT"}}, {}, "3"))->query.sql, "SELECT\n3");
}

TEST(ClickhouseHttp, parameters_settings_and_words_of_the_interface_are_told_apart) {
  const auto parsed = parse_clickhouse(request_with({{"param_n", "5"},
                                                     {"max_threads", "2"},
                                                     {"user", "u"},
                                                     {"password", "p"},
                                                     {"query_id", "q"},
                                                     {"wait_end_of_query", "1"},
                                                     {"database", "default"},
                                                     {"readonly", "2"},
                                                     {"session_id", "s"}}));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->query.parameters, (store::Parameters{{"n", "5"}}));
  EXPECT_EQ(parsed->query.settings, (store::Parameters{{"max_threads", "2"}}));
  EXPECT_EQ(parsed->query_id, "q");
  const auto writable = parse_clickhouse(request_with({{"readonly", "0"}}));
  EXPECT_EQ(writable->query.settings, (store::Parameters{{"readonly", "0"}}));
}

TEST(ClickhouseHttp, the_default_format_comes_from_parameter_header_or_custom) {
  EXPECT_EQ(parse_clickhouse(request_with({}))->query.format, "TabSeparated");
  const net::Headers header = {{"X-ClickHouse-Format", "JSON"}};
  EXPECT_EQ(parse_clickhouse(request_with({}, header))->query.format, "JSON");
  EXPECT_EQ(parse_clickhouse(request_with({{"default_format", "CSV"}}, header))->query.format,
            "CSV");
}

TEST(ClickhouseHttp, other_databases_do_not_exist) {
  EXPECT_EQ(refusal(request_with({{"database", "auscult"}})), "taken");
  EXPECT_EQ(refusal(request_with({{"database", "system"}})),
            "Code: 81. DB::Exception: Database system does not exist: there is auscult. "
            "(UNKNOWN_DATABASE)");
  EXPECT_EQ(store::exception_code(refusal(request_with({}, {{"X-ClickHouse-Database", "x"}}))), 81);
}

TEST(ClickhouseHttp, what_is_not_built_is_refused_rather_than_answered_otherwise) {
  EXPECT_EQ(store::exception_code(refusal(request_with({{"compress", "1"}}))), 48);
  EXPECT_EQ(store::exception_code(refusal(request_with({{"decompress", "1"}}))), 48);
  EXPECT_EQ(refusal(request_with({{"compress", "0"}})), "taken");
  EXPECT_EQ(store::exception_code(
                refusal(request_with({}, {{"Content-Type", "multipart/form-data; boundary=x"}}))),
            48);
}

TEST(ClickhouseHttp, a_packed_statement_is_unpacked_within_its_bound) {
  const net::Headers gzip = {{"Content-Encoding", "gzip"}};
  EXPECT_EQ(
      parse_clickhouse(request_with({}, gzip, *wire::compress("gzip", "SELECT 4")))->query.sql,
      "SELECT 4");
  EXPECT_EQ(store::exception_code(refusal(request_with({}, gzip, "no gzip"))), 36);
  const std::string bomb = *wire::compress("gzip", std::string(1 << 20, ' '));
  EXPECT_EQ(store::exception_code(refusal(request_with({}, gzip, bomb))), 36);
}

TEST(ClickhouseHttp, an_answer_is_packed_only_where_both_sides_say_so) {
  const net::Headers accepts = {{"Accept-Encoding", "br, gzip"}};
  EXPECT_EQ(parse_clickhouse(request_with({}, accepts))->encoding, "");
  EXPECT_EQ(parse_clickhouse(request_with({{"enable_http_compression", "1"}}))->encoding, "");
  const auto both = parse_clickhouse(request_with({{"enable_http_compression", "1"}}, accepts));
  EXPECT_EQ(both->encoding, "gzip");
  const auto answer = clickhouse_answer({.body = "1\n", .format = "TSV"}, *both);
  EXPECT_EQ(net::header(answer.headers, "Content-Encoding"), "gzip");
  EXPECT_EQ(*wire::decompress("gzip", answer.body, 10), "1\n");
}

TEST(ClickhouseHttp, an_answer_has_the_headers_that_clients_read) {
  const auto answer = clickhouse_answer({.body = "1\n",
                                         .format = "TSV",
                                         .content_type = "text/x",
                                         .rows = 1,
                                         .rows_read = 7,
                                         .bytes_read = 56,
                                         .elapsed_ns = 9},
                                        {.query = {}, .query_id = "q", .encoding = {}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "1\n");
  EXPECT_EQ(net::header(answer.headers, "Content-Type"), "text/x");
  EXPECT_EQ(net::header(answer.headers, "X-ClickHouse-Format"), "TSV");
  EXPECT_EQ(net::header(answer.headers, "X-ClickHouse-Query-Id"), "q");
  EXPECT_EQ(net::header(answer.headers, "X-ClickHouse-Server-Display-Name"), "auscult");
  const Json summary = *Json::parse(net::header(answer.headers, "X-ClickHouse-Summary"));
  EXPECT_EQ(summary["read_rows"], Json("7"));
  EXPECT_EQ(summary["written_rows"], Json("0"));
  EXPECT_EQ(summary["result_rows"], Json("1"));
  EXPECT_EQ(summary["elapsed_ns"], Json("9"));
}

TEST(ClickhouseHttp, native_is_framed_for_a_client_of_a_protocol_version) {
  const std::string block(
      "\x01\x01\x01"
      "a\x05UInt8\x07");
  const auto body = [&](const std::string& format, uint64_t version) {
    return clickhouse_answer({.body = block, .format = format},
                             {.query = {}, .query_id = "q", .protocol_version = version})
        .body;
  };
  EXPECT_EQ(body("Native", 0), block);
  EXPECT_EQ(body("TSV", 54460), block);
  EXPECT_EQ(body("Native", 54460).size(), block.size() + 9);
  const auto damaged = clickhouse_answer({.body = "\x01", .format = "Native"},
                                         {.query = {}, .query_id = "q", .protocol_version = 54460});
  EXPECT_EQ(damaged.status, 501);
  EXPECT_EQ(
      parse_clickhouse(request_with({{"client_protocol_version", "54460"}}))->protocol_version,
      54460U);
  EXPECT_EQ(store::exception_code(refusal(request_with({{"client_protocol_version", "100"}}))), 48);
}

TEST(ClickhouseHttp, an_exception_has_clickhouses_status_code_and_text) {
  const std::string text = store::exception_text(store::syntax_error, "failed");
  const auto answer = clickhouse_exception(text, "q");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.body, text + "\n");
  EXPECT_EQ(net::header(answer.headers, "X-ClickHouse-Exception-Code"), "62");
  EXPECT_EQ(net::header(answer.headers, "X-ClickHouse-Query-Id"), "q");
  const auto other = clickhouse_exception("no such thing", "q");
  EXPECT_EQ(other.status, 500);
  EXPECT_EQ(other.body, "Code: 1002. DB::Exception: no such thing. (UNKNOWN_EXCEPTION)\n");
  EXPECT_EQ(net::header(other.headers, "X-ClickHouse-Exception-Code"), "1002");
}

TEST(ClickhouseHttp, statuses_are_those_of_clickhouse) {
  for (const auto& [code, status] : {std::pair{62, 400},
                                     {497, 403},
                                     {60, 404},
                                     {115, 404},
                                     {159, 408},
                                     {229, 413},
                                     {164, 500},
                                     {241, 500},
                                     {48, 501}}) {
    EXPECT_EQ(clickhouse_status(code), status) << code;
  }
}

}  // namespace
}  // namespace auscult::serve
