#include "serve/ingest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <future>
#include <mutex>

#include "base/json.h"
#include "net/client.h"
#include "serve/otlp_http.h"
#include "store/memory_store.h"
#include "wire/compression.h"
#include "wire/otlp.h"

namespace auscult::serve {
namespace {

using std::chrono_literals::operator""s;

// A store whose commits happen when the test says so.
class SlowStore : public store::MemoryStore {
 public:
  void write(store::Batch batch, std::function<void(Result<Ok>)> done) override {
    const std::lock_guard lock(mutex_);
    waiting_.emplace_back(std::move(batch), std::move(done));
    came_.notify_all();
  }
  bool wait_for_write() {
    std::unique_lock lock(mutex_);
    return came_.wait_for(lock, 10s, [&] { return !waiting_.empty(); });
  }
  void commit() {
    std::vector<std::pair<store::Batch, std::function<void(Result<Ok>)>>> all;
    {
      const std::lock_guard lock(mutex_);
      all.swap(waiting_);
    }
    for (auto& [batch, done] : all) MemoryStore::write(std::move(batch), std::move(done));
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<std::pair<store::Batch, std::function<void(Result<Ok>)>>> waiting_;
};

// An ingest behind a real server.
class Front {
 public:
  explicit Front(store::Store& store, redact::Redactor* redactor = nullptr)
      : ingest_(store, system_clock(), redactor) {
    auto server = net::HttpServer::start({}, [this](net::Request request, const net::Reply& reply) {
      handle_otlp(std::move(request), reply, ingest_);
    });
    EXPECT_TRUE(server) << server.error().message;
    if (server) server_ = *std::move(server);
  }

  net::Response send(const std::string& method, const std::string& path, const std::string& body,
                     const std::string& type = "application/json",
                     const std::string& encoding = "") {
    net::Headers headers;
    if (!type.empty()) headers.emplace_back("Content-Type", type);
    if (!encoding.empty()) headers.emplace_back("Content-Encoding", encoding);
    auto client = net::HttpClient::create("http://127.0.0.1:" + std::to_string(server_->port()));
    EXPECT_TRUE(client);
    auto response = client->request(method, path, headers, body, 20s);
    EXPECT_TRUE(response) << response.error().message;
    return response ? *response : net::Response{.status = 0, .headers = {}, .body = {}};
  }
  net::Response post(const std::string& path, const std::string& body,
                     const std::string& type = "application/json",
                     const std::string& encoding = "") {
    return send("POST", path, body, type, encoding);
  }
  const IngestStats& stats() const { return ingest_.stats(); }

 private:
  Ingest ingest_;
  std::unique_ptr<net::HttpServer> server_;
};

const std::string metrics_json =
    R"({"resourceMetrics":[{"resource":{"attributes":[{"key":"host.name","value":{"stringValue":"n1"}}]},)"
    R"("scopeMetrics":[{"metrics":[{"name":"load","gauge":{"dataPoints":[)"
    R"({"timeUnixNano":"1700000000000000000","asDouble":1.5}]}}]}]}]})";
const std::string logs_json =
    R"({"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1700000000000000000",)"
    R"("body":{"stringValue":"hello"}}]}]}]})";
const store::TimeRange any{0, 2'000'000'000 * ns_per_s};

size_t stored_points(store::Store& store) {
  const auto series =
      store.read_series({.metric = "load", .node_id = {}, .labels = {}, .range = any});
  return !series || series->empty() ? 0 : series->front().points.size();
}

TEST(Ingest, acknowledges_only_after_the_commit) {
  SlowStore store;
  Front front(store);
  auto response =
      std::async(std::launch::async, [&] { return front.post("/v1/metrics", metrics_json); });
  ASSERT_TRUE(store.wait_for_write());

  EXPECT_EQ(response.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  EXPECT_EQ(stored_points(store), 0U);
  store.commit();

  EXPECT_EQ(response.get().status, 200);
  EXPECT_EQ(stored_points(store), 1U);
}

TEST(Ingest, stores_metrics_logs_and_spans_each_at_its_address) {
  store::MemoryStore store;
  Front front(store);
  const model::Sample sample{.metric = "load",
                             .tags = {.node_id = "n1"},
                             .timestamp_ns = 1'700'000'000 * ns_per_s,
                             .value = 1};

  const auto metrics =
      front.post("/v1/metrics", wire::encode_metrics({&sample, 1}), "application/x-protobuf");
  const auto logs = front.post("/v1/logs", logs_json, "application/json; charset=utf-8");
  const auto traces = front.post("/v1/traces", "{}");

  EXPECT_EQ(metrics.status, 200);
  EXPECT_EQ(net::header(metrics.headers, "Content-Type"), "application/x-protobuf");
  EXPECT_EQ(logs.status, 200);
  EXPECT_EQ(logs.body, "{}");
  EXPECT_EQ(net::header(logs.headers, "Content-Type"), "application/json");
  EXPECT_EQ(traces.status, 200);
  EXPECT_EQ(stored_points(store), 1U);
  const auto lines = store.read_logs({.node_id = {}, .source = {}, .range = any});
  ASSERT_EQ(lines->size(), 1U);
  EXPECT_EQ(lines->front().body, "hello");
}

TEST(Ingest, unpacks_gzip_and_zstd) {
  store::MemoryStore store;
  Front front(store);
  for (const char* encoding : {"gzip", "zstd"}) {
    const auto packed = wire::compress(encoding, metrics_json);
    ASSERT_TRUE(packed);
    EXPECT_EQ(front.post("/v1/metrics", *packed, "application/json", encoding).status, 200);
  }
  EXPECT_EQ(stored_points(store), 2U);
}

TEST(Ingest, refuses_what_it_cannot_read_with_the_status_that_says_why) {
  store::MemoryStore store;
  Front front(store);

  EXPECT_EQ(front.post("/v1/metrics", metrics_json, "text/plain").status, 415);
  EXPECT_EQ(front.post("/v1/metrics", metrics_json, "").status, 415);
  EXPECT_EQ(front.post("/v1/profiles", metrics_json).status, 404);
  EXPECT_EQ(front.send("GET", "/v1/metrics", "").status, 405);
  EXPECT_EQ(front.post("/v1/metrics", "{\"resourceMetrics\": 5}").status, 400);
  EXPECT_EQ(front.post("/v1/metrics", "\x0a\x64", "application/x-protobuf").status, 400);
  EXPECT_EQ(front.post("/v1/metrics", metrics_json, "application/json", "br").status, 400);
  EXPECT_EQ(front.post("/v1/metrics", metrics_json, "application/json", "gzip").status, 400);
  EXPECT_EQ(front.stats().malformed, 8U);
  EXPECT_EQ(front.stats().requests, 8U);
  EXPECT_EQ(stored_points(store), 0U);
}

TEST(Ingest, errors_are_in_the_encoding_of_the_request) {
  store::MemoryStore store;
  Front front(store);

  const auto response = front.post("/v1/metrics", "{");

  EXPECT_EQ(net::header(response.headers, "Content-Type"), "application/json");
  const auto json = Json::parse(response.body);
  ASSERT_TRUE(json) << response.body;
  EXPECT_FALSE((*json)["message"].string_or("").empty());
}

TEST(Ingest, a_bomb_is_refused_when_it_passes_the_bound) {
  store::MemoryStore store;
  Front front(store);
  const auto bomb = wire::compress("gzip", std::string(Ingest::max_decoded_bytes + 1, ' '));
  ASSERT_TRUE(bomb);

  const auto response = front.post("/v1/logs", *bomb, "application/json", "gzip");

  EXPECT_EQ(response.status, 400);
  EXPECT_NE(response.body.find("unpacks to more than"), std::string::npos);
}

TEST(Ingest, asks_to_retry_while_the_store_is_unavailable) {
  store::MemoryStore store;
  Front front(store);
  store.fail_writes(Error{ErrorCode::unavailable, "the disk is full"});

  const auto refused = front.post("/v1/metrics", metrics_json);
  store.fail_writes({});

  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(net::header(refused.headers, "Retry-After"), "1");
  EXPECT_NE(refused.body.find("the disk is full"), std::string::npos);
  EXPECT_EQ(front.stats().pushed_back, 1U);
  EXPECT_EQ(front.post("/v1/metrics", metrics_json).status, 200);
}

TEST(Ingest, does_not_ask_to_retry_what_will_never_be_stored) {
  store::MemoryStore store;
  Front front(store);
  store.fail_writes(Error{ErrorCode::invalid_input, "beyond 2261"});

  EXPECT_EQ(front.post("/v1/metrics", metrics_json).status, 400);
}

TEST(Ingest, says_how_many_items_it_left_out) {
  store::MemoryStore store;
  Front front(store);
  // A time beyond 2262 beside a good one.
  std::string body = metrics_json;
  const std::string late = R"({"timeUnixNano":"18446744073709551615","asDouble":1},)";
  body.insert(body.find(R"({"timeUnixNano")"), late);

  const auto response = front.post("/v1/metrics", body);

  EXPECT_EQ(response.status, 200);
  const auto json = Json::parse(response.body);
  ASSERT_TRUE(json);
  EXPECT_EQ((*json)["partialSuccess"]["rejectedDataPoints"].string_or(
                (*json)["partialSuccess"]["rejectedDataPoints"].integer_text()),
            "1")
      << response.body;
  EXPECT_EQ(front.stats().rejected_items, 1U);
  EXPECT_EQ(stored_points(store), 1U);
}

TEST(Ingest, a_commit_that_ends_after_it_touches_nothing_of_it) {
  SlowStore store;
  store.fail_writes(Error{ErrorCode::unavailable, "the server stops"});
  // Memory of our own, so that a write into the destroyed object shows without a sanitizer.
  alignas(Ingest) std::array<unsigned char, sizeof(Ingest)> memory{};
  auto* ingest = new (memory.data()) Ingest(store, system_clock());
  std::promise<int> answered;
  handle_otlp(
      {.method = "POST",
       .path = "/v1/metrics",
       .query = {},
       .headers = {{"Content-Type", "application/json"}},
       .body = metrics_json,
       .remote = {}},
      [&](net::Response response) { answered.set_value(response.status); }, *ingest);
  ASSERT_TRUE(store.wait_for_write());

  std::destroy_at(ingest);
  memory.fill(0);
  store.commit();

  EXPECT_EQ(answered.get_future().get(), 503);
  EXPECT_TRUE(std::all_of(memory.begin(), memory.end(), [](unsigned char c) { return c == 0; }));
}

TEST(Ingest, secrets_are_gone_before_anything_is_stored) {
  const auto redactor = redact::Redactor::create(redact::patterns());
  ASSERT_TRUE(redactor);
  for (const bool on : {true, false}) {
    store::MemoryStore store;
    Front front(store, on ? redactor->get() : nullptr);
    const auto with = [](std::string json, const std::string& from, const std::string& to) {
      return json.replace(json.find(from), from.size(), to);
    };
    ASSERT_EQ(front.post("/v1/logs", with(logs_json, "hello", "password=hunter2")).status, 200);
    ASSERT_EQ(front
                  .post("/v1/metrics", with(metrics_json, R"("asDouble":1.5)",
                                            R"("asDouble":1.5,"attributes":[{"key":"url",)"
                                            R"("value":{"stringValue":"http://a:hunter2@b"}}])"))
                  .status,
              200);

    const auto logs = store.read_logs({.range = any});
    ASSERT_TRUE(logs);
    ASSERT_EQ(logs->size(), 1U);
    EXPECT_EQ(logs->front().body, on ? "password=[redacted:password]" : "password=hunter2");
    const auto series =
        store.read_series({.metric = "load", .node_id = {}, .labels = {}, .range = any});
    ASSERT_TRUE(series);
    ASSERT_EQ(series->size(), 1U);
    EXPECT_EQ(series->front().labels[0].second,
              on ? "http://a:[redacted:url_password]@b" : "http://a:hunter2@b");
  }
}

// OTLP wants every 4xx in the encoding of its request.
TEST(OtlpDenial, is_a_status_in_the_encoding_of_the_request) {
  const Access access(*read_tokens(*parse_yaml(make_token("agent", Role::ingest)->line, "tokens")));
  net::Request request{.path = "/v1/logs", .headers = {{"Content-Type", "application/json"}}};
  const auto json = otlp_denial(request, access);
  ASSERT_TRUE(json);
  EXPECT_EQ(json->status, 401);
  EXPECT_NE((*Json::parse(json->body))["message"].string_or("").find("role ingest"),
            std::string::npos);
  request.headers = {{"Content-Type", "application/x-protobuf"}};
  const auto protobuf = otlp_denial(request, access);
  ASSERT_TRUE(protobuf);
  EXPECT_EQ(net::header(protobuf->headers, "Content-Type"), "application/x-protobuf");
  EXPECT_FALSE(otlp_denial(request, Access()));
}

}  // namespace
}  // namespace auscult::serve
