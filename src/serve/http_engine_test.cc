// A store over the HTTP engine, on a server of this test: /clickhouse for reading, and for writing
// a front of its own that hands INSERT and DDL to the embedded engine, as ClickHouse would take
// them.

#include "store/http_engine.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <optional>

#include "base/text.h"
#include "diagnose/engine.h"
#include "net/server.h"
#include "serve/context.h"
#include "serve/route.h"
#include "store/exception.h"
#include "store/memory_store.h"
#include "store/test_folder.h"
#include "store/test_library.h"
#include "wire/compression.h"

namespace auscult::serve {
namespace {

class StoreOnEngine : public store::MemoryStore {
 public:
  explicit StoreOnEngine(std::unique_ptr<store::Engine> engine) : engine_(std::move(engine)) {}
  store::Engine& engine() override { return *engine_; }

 private:
  std::unique_ptr<store::Engine> engine_;
};

net::Response answer_of(const Result<Ok>& done) {
  if (done) return net::text_response(200, "");
  return net::text_response(500,
                            store::exception_text(store::unknown_exception, done.error().message));
}

// What ClickHouse does with "INSERT INTO auscult.t (a, b) FORMAT Native" and rows.
net::Response insert(store::Engine& engine, const net::Request& request) {
  const std::string sql(request.parameter("query"));
  const auto open = sql.find(" (");
  const auto body = wire::decompress(net::header(request.headers, "Content-Encoding"), request.body,
                                     size_t{1} << 30U);
  if (!body) return net::text_response(400, body.error().message);
  // How many rows they are only the engine knows: it says so of a number that cannot be right.
  const auto done = engine.insert({.table = sql.substr(20, open - 20),
                                   .columns = sql.substr(open + 2, sql.find(')') - open - 2),
                                   .data = *body,
                                   .rows = std::numeric_limits<uint64_t>::max(),
                                   .format = sql.substr(sql.rfind(' ') + 1)},
                                  std::string(request.parameter("insert_deduplication_token")));
  const std::string& message = done.error().message;
  const auto words = split(message, ' ');
  const auto rows = words.size() > 3 ? to_uint(words[3]) : std::nullopt;
  if (!rows || message.find("rows were written") == std::string::npos) return answer_of(done);
  auto response = net::text_response(200, "");
  response.headers.emplace_back("X-ClickHouse-Summary",
                                R"({"written_rows":")" + std::to_string(*rows) + R"("})");
  return response;
}

class HttpStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* library = std::getenv("AUSCULT_LIBCHDB");
    if (const auto why = store::why_no_library(library); !why.empty()) GTEST_SKIP() << why;
    auto engine = store::open_embedded({.data = folder_.path() / "server", .library = library});
    ASSERT_TRUE(engine) << engine.error().message;
    behind_.emplace(*std::move(engine));
    context_.emplace(Context{*behind_, system_clock(), options_});
    auto server = net::HttpServer::start(
        {}, [this](net::Request request, const net::Reply& reply) { reply(answer(request)); });
    ASSERT_TRUE(server) << server.error().message;
    server_ = *std::move(server);
    open();
  }

  net::Response answer(const net::Request& request) {
    if (request.parameter("query").starts_with("INSERT INTO auscult.")) {
      auto response = insert(behind_->engine(), request);
      // Done, and the answer lost on its way.
      if (request.parameter("query").find(" auscult.samples ") != std::string_view::npos &&
          lose_an_answer_.exchange(false)) {
        return net::text_response(502, "Bad gateway");
      }
      return response;
    }
    for (const auto* word : {"CREATE ", "ALTER ", "DELETE ", "INSERT INTO"}) {
      if (request.body.starts_with(word)) return answer_of(behind_->engine().execute(request.body));
    }
    return answer_now(router_, request, *context_);
  }

  void open() {
    store_.reset();
    auto url = store::parse_store_url(
        "http://auscult@127.0.0.1:" + std::to_string(server_->port()) + "/clickhouse");
    ASSERT_TRUE(url) << url.error().message;
    auto store = store::Store::open({.engine = {.data = folder_.path() / "client"},
                                     .remote = {{.url = *std::move(url)}},
                                     .writer = {}},
                                    system_clock());
    ASSERT_TRUE(store) << store.error().message;
    store_ = *std::move(store);
  }

  static store::Batch batch(const std::string& id, int64_t first_ns, int n = 100) {
    store::Batch batch{.id = store::batch_id("test", id)};
    for (int i = 0; i < n; ++i) {
      batch.samples.push_back({.metric = "load",
                               .labels = {{"x", "it's\ta"}},
                               .timestamp_ns = first_ns + i * 1'000'000,
                               .value = static_cast<double>(i)});
      batch.logs.push_back({.timestamp_ns = first_ns + i, .body = "line " + std::to_string(i)});
    }
    return batch;
  }

  std::string count(const std::string& table) {
    const auto found = behind_->engine().query_user("SELECT count() FROM auscult." + table, {});
    return found ? found->rows[0][0] : found.error().message;
  }

  static constexpr int64_t start_ns = 1'790'000'000'000'000'000;
  static constexpr store::TimeRange day{start_ns, start_ns + 86'400'000'000'000};

  store::TestFolder folder_{testing::TempDir(), "http_store"};
  std::optional<StoreOnEngine> behind_;
  diagnose::EngineOptions options_;
  std::optional<Context> context_;
  Router router_;
  std::atomic<bool> lose_an_answer_ = false;
  std::unique_ptr<net::HttpServer> server_;
  std::unique_ptr<store::Store> store_;
};

TEST_F(HttpStoreTest, what_is_written_over_http_is_read_over_http) {
  ASSERT_TRUE(store_->write_and_wait(batch("one", start_ns)));
  const auto series = store_->read_series(
      {.metric = "load", .node_id = {}, .labels = {{"x", "it's\ta"}}, .range = day});
  ASSERT_TRUE(series) << series.error().message;
  ASSERT_EQ(series->size(), 1U);
  EXPECT_EQ(series->front().points.size(), 100U);
  EXPECT_EQ(series->front().points.back().value, 99.0);
  const auto logs = store_->read_logs({.node_id = {}, .source = {}, .range = day});
  ASSERT_TRUE(logs) << logs.error().message;
  EXPECT_EQ(logs->size(), 100U);
  EXPECT_EQ(logs->back().body, "line 99");
}

TEST_F(HttpStoreTest, a_batch_sent_again_is_stored_once_also_after_a_restart) {
  ASSERT_TRUE(store_->write_and_wait(batch("one", start_ns)));
  ASSERT_TRUE(store_->write_and_wait(batch("one", start_ns)));
  open();
  ASSERT_TRUE(store_->write_and_wait(batch("one", start_ns)));
  EXPECT_EQ(count("samples"), "100");
  EXPECT_EQ(count("logs"), "100");
}

TEST_F(HttpStoreTest, an_insert_whose_answer_was_lost_is_stored_once) {
  lose_an_answer_ = true;
  const auto first = store_->write_and_wait(batch("one", start_ns));
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code, ErrorCode::unavailable) << first.error().message;
  EXPECT_FALSE(lose_an_answer_);
  EXPECT_EQ(count("samples"), "100") << "the server had done it";
  open();  // the journal has the group
  const auto again = store_->write_and_wait(batch("one", start_ns));
  EXPECT_TRUE(again) << again.error().message;
  EXPECT_EQ(count("samples"), "100");
  EXPECT_EQ(count("logs"), "100");
}

TEST_F(HttpStoreTest, recent_samples_are_in_memory_again_after_a_restart) {
  const int64_t now_ns = system_clock().now_ns() / 1'000'000 * 1'000'000;
  ASSERT_TRUE(store_->write_and_wait(batch("recent", now_ns - 60'000'000'000)));
  open();
  EXPECT_EQ(store_->hot().stats().series, 1U);
}

TEST_F(HttpStoreTest, the_journal_has_one_process) {
  const auto second =
      store::Store::open({.engine = {.data = folder_.path() / "client"},
                          .remote = {{.url = {.endpoints = {"http://127.0.0.1:1"}}}},
                          .writer = {}},
                         system_clock());
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("is in use by another process"), std::string::npos)
      << second.error().message;
}

TEST_F(HttpStoreTest, user_sql_over_http_is_refused_what_is_refused_here) {
  store::Engine& engine = store_->engine();
  EXPECT_EQ(engine.query_user("SELECT {n:UInt8} + 1", {{"n", "4"}})->rows[0][0], "5");
  EXPECT_EQ(engine.query_user("SELECT {s:String}", {{"s", "a\tb\\"}})->rows[0][0], "a\tb\\");
  EXPECT_EQ(engine.query_user("SHOW TABLES", {})->names, std::vector<std::string>{"name"});
  for (const auto* sql :
       {"SELECT * FROM file('/etc/passwd')", "DROP TABLE samples", "SELECT 1; SELECT 2",
        "SELECT * FROM system.users", "SELECT 1 SETTINGS readonly = 0"}) {
    const auto refused = engine.query_user(sql, {});
    ASSERT_FALSE(refused) << sql;
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_input) << refused.error().message;
  }
  const auto raw = engine.query_user_raw({.sql = "SELECT 7 AS x",
                                          .parameters = {},
                                          .settings = {{"extremes", "0"}},
                                          .format = "JSONEachRow"});
  ASSERT_TRUE(raw) << raw.error().message;
  EXPECT_EQ(raw->body, "{\"x\":7}\n");
  EXPECT_EQ(raw->rows, 1U);
}

}  // namespace
}  // namespace auscult::serve
