// The HTTP engine against servers that a test scripts; serve/http_engine_test.cc has it on a real
// engine behind /clickhouse.

#include "store/http_engine.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "base/text.h"
#include "net/server.h"
#include "net/testing_peer.h"
#include "wire/compression.h"

namespace auscult::store {
namespace {

// Answers pings itself and everything else by `script`, and remembers what it was asked.
class ScriptedServer {
 public:
  std::function<net::Response(const net::Request&)> script = [](const net::Request&) {
    return net::text_response(200, "");
  };

  ScriptedServer() {
    auto server = net::HttpServer::start({}, [this](net::Request request, const net::Reply& reply) {
      if (request.path.ends_with("/ping")) return reply(net::text_response(200, "Ok.\n"));
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
      reply(script(request));
    });
    if (server) server_ = *std::move(server);
  }

  std::string url() const { return "127.0.0.1:" + std::to_string(server_->port()); }
  std::vector<net::Request> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<net::Request> requests_;
  std::unique_ptr<net::HttpServer> server_;
};

// A port on which nothing listens any more.
std::string dead_address() {
  const auto server = net::HttpServer::start({}, [](const net::Request&, const net::Reply&) {});
  return "127.0.0.1:" + std::to_string((*server)->port());
}

Result<std::unique_ptr<Engine>> open(const std::string& hosts, const std::string& rest = "") {
  return open_http({.url = TRY(parse_store_url("http://me@" + hosts + rest)), .password = "word"});
}

net::Response wrote(uint64_t rows) {
  auto response = net::text_response(200, "");
  response.headers.emplace_back("X-ClickHouse-Summary",
                                R"({"written_rows":")" + std::to_string(rows) + R"("})");
  return response;
}

const Block block{.table = "t", .columns = "a, b", .data = "0123456789", .rows = 2};

TEST(HttpEngine, a_query_carries_user_password_parameters_and_limits) {
  ScriptedServer server;
  auto engine = open(server.url());
  ASSERT_TRUE(engine) << engine.error().message;
  server.script = [](const net::Request&) { return net::text_response(200, "a\nUInt8\n1\n"); };
  const auto table = (*engine)->query({"SELECT {s:String} AS a", {{"s", "x\ty&z"}}});
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->rows, (std::vector<std::vector<std::string>>{{"1"}}));
  const net::Request asked = server.requests().back();
  EXPECT_EQ(asked.body, "SELECT {s:String} AS a");
  EXPECT_EQ(asked.parameter("param_s"), "x\\ty&z");
  EXPECT_EQ(asked.parameter("default_format"), "TabSeparatedWithNamesAndTypes");
  EXPECT_EQ(asked.parameter("max_result_rows"), "1000000");
  EXPECT_EQ(net::header(asked.headers, "X-ClickHouse-User"), "me");
  EXPECT_EQ(net::header(asked.headers, "X-ClickHouse-Key"), "word");
}

TEST(HttpEngine, an_insert_carries_its_token_and_counts_what_was_written) {
  ScriptedServer server;
  auto engine = open(server.url());
  ASSERT_TRUE(engine) << engine.error().message;
  server.script = [](const net::Request&) { return wrote(2); };
  const auto done = (*engine)->insert(block, "77-t");
  ASSERT_TRUE(done) << done.error().message;
  const net::Request asked = server.requests().back();
  EXPECT_EQ(asked.body, "0123456789");
  EXPECT_EQ(asked.parameter("query"), "INSERT INTO auscult.t (a, b) FORMAT RowBinary");
  EXPECT_EQ(asked.parameter("insert_deduplication_token"), "77-t");
  EXPECT_EQ(asked.parameter("async_insert"), "0");
  EXPECT_EQ(asked.parameter("send_progress_in_http_headers"), "1");
  server.script = [](const net::Request&) { return wrote(4); };
  EXPECT_TRUE((*engine)->insert(block, "77-t"));
  server.script = [](const net::Request&) { return wrote(1); };
  EXPECT_EQ((*engine)->insert(block, "78-t").error().message,
            "inserting into t: 1 of 2 rows were written");
  server.script = [](const net::Request&) { return net::text_response(200, ""); };
  EXPECT_EQ((*engine)->insert(block, "79-t").error().message,
            "inserting into t: the server does not say how many rows it wrote");
}

TEST(HttpEngine, large_bodies_are_packed_both_ways) {
  ScriptedServer server;
  auto engine = open(server.url());
  ASSERT_TRUE(engine) << engine.error().message;
  server.script = [](const net::Request&) { return wrote(2); };
  Block large = block;
  large.data = std::string(100'000, 'x');
  ASSERT_TRUE((*engine)->insert(large, "t"));
  const net::Request asked = server.requests().back();
  EXPECT_LT(asked.body.size(), 1000U);
  EXPECT_EQ(*wire::decompress(net::header(asked.headers, "Content-Encoding"), asked.body, 1 << 20),
            large.data);
  server.script = [](const net::Request&) {
    net::Response packed = net::text_response(200, *wire::compress("gzip", "12345678"));
    packed.headers.emplace_back("Content-Encoding", "gzip");
    return packed;
  };
  EXPECT_EQ(*(*engine)->query_binary({"SELECT 1", {}}), "12345678");
}

TEST(HttpEngine, a_dead_server_is_passed_over_and_the_next_one_kept) {
  ScriptedServer server;
  auto engine = open(dead_address() + "," + server.url());
  ASSERT_TRUE(engine) << engine.error().message;
  server.script = [](const net::Request&) { return wrote(2); };
  EXPECT_TRUE((*engine)->insert(block, "t"));
  EXPECT_TRUE((*engine)->insert(block, "u"));
  EXPECT_EQ(server.requests().size(), 3U);
  const auto none = open(dead_address());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::unavailable);
}

// Takes requests and hangs up on each that is neither a ping nor the first statement: whether it
// did what it was asked nobody knows.
class HangsUp {
 public:
  std::string url() const { return "127.0.0.1:" + std::to_string(listener_.port()); }
  int n_hung_up() const { return n_hung_up_; }

 private:
  void serve() {
    while (true) {
      net::Peer peer = listener_.accept();
      const std::string head = peer.read_until("\r\n\r\n");
      if (head.empty() || head.starts_with("GET /stop")) return;
      const bool ping = head.starts_with("GET /ping");
      if (ping || peer.read_until("auscult").find("CREATE DATABASE") != std::string::npos) {
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
      } else {
        ++n_hung_up_;
      }
    }
  }

  net::Listener listener_;
  std::atomic<int> n_hung_up_ = 0;
  std::jthread thread_{[this] { serve(); }};

 public:
  ~HangsUp() { net::Peer::connect(listener_.port()).send("GET /stop\r\n\r\n"); }
};

TEST(HttpEngine, an_insert_without_an_answer_is_sent_to_the_next_and_a_statement_is_not) {
  HangsUp first;
  ScriptedServer second;
  auto engine = open(first.url() + "," + second.url());
  ASSERT_TRUE(engine) << engine.error().message;
  second.script = [](const net::Request&) { return wrote(2); };
  EXPECT_FALSE((*engine)->execute("DELETE FROM auscult.t WHERE 1"));
  EXPECT_EQ(first.n_hung_up(), 1);
  EXPECT_EQ(second.requests().size(), 0U);
  const auto inserted = (*engine)->insert(block, "t");
  EXPECT_TRUE(inserted) << inserted.error().message;
  EXPECT_EQ(first.n_hung_up(), 2);
  EXPECT_EQ(second.requests().size(), 1U);
  EXPECT_EQ(second.requests().back().parameter("insert_deduplication_token"), "t");
}

TEST(HttpEngine, exceptions_and_other_refusals_are_one_clear_line) {
  ScriptedServer server;
  auto engine = open(server.url());
  ASSERT_TRUE(engine) << engine.error().message;
  const auto said = [&](int status, const std::string& text) {
    server.script = [=](const net::Request&) { return net::text_response(status, text); };
    return (*engine)->query({"SELECT 1", {}}).error();
  };
  const Error busy =
      said(500, "Code: 241. DB::Exception: Memory limit exceeded.\nmore (version 26)\n");
  EXPECT_EQ(busy.code, ErrorCode::unavailable);
  EXPECT_EQ(busy.message, "ClickHouse: Memory limit exceeded. more");
  const Error password = said(403, "Code: 516. DB::Exception: me: Authentication failed");
  EXPECT_EQ(password.code, ErrorCode::invalid_input);
  EXPECT_EQ(said(404, "Code: 60. DB::Exception: Unknown table").code, ErrorCode::invalid_input);
  EXPECT_EQ(said(500, "Code: 999. DB::Exception: Coordination error").code, ErrorCode::unavailable);
  const Error proxy = said(502, "<html>Bad gateway\n<body>");
  EXPECT_EQ(proxy.code, ErrorCode::unavailable);
  EXPECT_EQ(proxy.message, "the store answered 502: <html>Bad gateway");
}

TEST(HttpEngine, ddl_of_a_cluster_goes_out_in_its_form_and_once) {
  ScriptedServer server;
  auto engine = open(server.url(), "?cluster=main");
  ASSERT_TRUE(engine) << engine.error().message;
  ASSERT_TRUE((*engine)->execute(
      "CREATE TABLE IF NOT EXISTS auscult.t (a UInt8) ENGINE = MergeTree ORDER BY a"));
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].body, "CREATE DATABASE IF NOT EXISTS auscult ON CLUSTER 'main'");
  EXPECT_NE(requests[1].body.find("ReplicatedMergeTree"), std::string::npos);
  EXPECT_NE(requests[2].body.find("Distributed('main'"), std::string::npos);
}

TEST(HttpEngine, user_sql_is_judged_here_and_runs_read_only_there) {
  ScriptedServer server;
  auto engine = open(server.url());
  ASSERT_TRUE(engine) << engine.error().message;
  server.script = [](const net::Request& request) {
    if (!request.body.starts_with("EXPLAIN AST")) return net::text_response(200, "1\n");
    const std::string from = request.body.find("file(") == std::string::npos
                                 ? "Literal UInt64_1"
                                 : "Function file (children 1)\n     ExpressionList";
    return net::text_response(200,
                              "SelectWithUnionQuery (children 1)\n ExpressionList (children 1)\n"
                              "  SelectQuery (children 1)\n   ExpressionList (children 1)\n    " +
                                  from + "\n");
  };
  const auto answer = (*engine)->query_user_raw({.sql = "SELECT 1",
                                                 .parameters = {},
                                                 .settings = {{"max_execution_time", "9999"}},
                                                 .format = "CSV"});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "1\n");
  const auto requests = server.requests();
  for (size_t i = 1; i < requests.size(); ++i) {
    EXPECT_EQ(requests[i].parameter("readonly"), "2") << i;
  }
  EXPECT_EQ(requests.back().parameter("max_execution_time"), "60");
  EXPECT_EQ(requests.back().parameter("default_format"), "CSV");
  const auto refused = (*engine)->query_user("SELECT file('x')", {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("reaches outside the store"), std::string::npos)
      << refused.error().message;
  EXPECT_TRUE(server.requests().back().body.starts_with("EXPLAIN AST"));
}

}  // namespace
}  // namespace auscult::store
