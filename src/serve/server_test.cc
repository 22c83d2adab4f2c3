#include "serve/server.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/testing_identity.h"
#include "net/client.h"
#include "net/server.h"
#include "store/test_folder.h"
#include "store/test_library.h"

namespace auscult::serve {
namespace {

using std::chrono_literals::operator""s;

class ServeOptionsTest : public testing::Test {
 protected:
  // The message of the refusal, or empty.
  std::string read(const std::string& yaml) {
    const auto file = folder_.path() / "server.yaml";
    EXPECT_TRUE(write_file(file, yaml));
    const auto done = read_serve_options(file, options_);
    return done ? "" : done.error().message;
  }

  store::TestFolder folder_{testing::TempDir(), "serve_options"};
  ServeOptions options_;
};

TEST_F(ServeOptionsTest, the_file_names_what_is_scraped_and_synced) {
  EXPECT_EQ(read("scrape:\n- job_name: a\n  file_sd_configs: [{files: [t.yml]}]\n"
                 "sync: [{prometheus: http://p:9090}]\n"),
            "");
  ASSERT_EQ(options_.scrape.size(), 1U);
  EXPECT_EQ(options_.scrape[0].files[0].patterns[0], (folder_.path() / "t.yml").string());
  ASSERT_EQ(options_.sync.size(), 1U);
  EXPECT_NE(read("scrape: [{job_nam: a}]\n").find("did you mean 'job_name'?"), std::string::npos);
}

TEST_F(ServeOptionsTest, the_file_sets_what_it_names_and_leaves_the_rest) {
  EXPECT_EQ(read("data: /srv/auscult\notlp_port: 14318\nexperiments: false\n"), "");

  EXPECT_EQ(options_.data, "/srv/auscult");
  EXPECT_EQ(options_.otlp_port, 14318);
  EXPECT_FALSE(options_.experiments);
  EXPECT_EQ(options_.http_port, 9494);
  EXPECT_EQ(options_.address, "127.0.0.1");
}

TEST_F(ServeOptionsTest, a_store_elsewhere_is_named_and_its_password_file) {
  EXPECT_EQ(read("store: http://me@db1:8123,db2\nstore_password_file: /etc/auscult/password\n"),
            "");
  EXPECT_EQ(options_.store, "http://me@db1:8123,db2");
  EXPECT_EQ(options_.store_password_file, "/etc/auscult/password");
}

TEST_F(ServeOptionsTest, a_store_that_cannot_be_used_ends_the_start_with_its_reason) {
  options_.data = folder_.path() / "data";
  const auto why = [&] {
    const auto server = Server::start(options_, system_clock());
    return server ? std::string("started") : server.error().message;
  };
  options_.store = "https://db1:8443";
  EXPECT_NE(why().find("https"), std::string::npos) << why();
  options_.store = "http://127.0.0.1:1";
  EXPECT_NE(why().find("http://127.0.0.1:1"), std::string::npos) << why();
  options_.store_password_file = folder_.path() / "none";
  EXPECT_NE(why().find("none"), std::string::npos) << why();
}

TEST_F(ServeOptionsTest, a_typing_error_is_told_with_its_line_and_the_right_key) {
  const auto message = read("data: /srv\nhttp_prot: 1\n");

  EXPECT_NE(message.find("server.yaml:2"), std::string::npos) << message;
  EXPECT_NE(message.find("http_port"), std::string::npos) << message;
}

TEST_F(ServeOptionsTest, a_port_lies_between_0_and_65535) {
  EXPECT_EQ(read("otlp_port: 65535\nhttp_port: 0\n"), "");
  for (const char* port : {"65536", "-1"}) {
    const auto message = read("data: /srv\nhttp_port: " + std::string(port) + "\n");
    EXPECT_NE(message.find("server.yaml:2"), std::string::npos) << message;
    EXPECT_NE(message.find("65535"), std::string::npos) << message;
  }
  EXPECT_EQ(options_.http_port, 0) << "a refused file changes no port";
}

TEST_F(ServeOptionsTest, the_file_sets_the_locks_and_a_tenant_is_refused) {
  EXPECT_EQ(read("tokens: t.yaml\ntls: {certificate: c, key: k}\nnames: [a.example]\n"), "");
  EXPECT_EQ(options_.locks.token_file, "t.yaml");
  EXPECT_EQ(options_.locks.certificate, "c");
  EXPECT_EQ(options_.names, std::vector<std::string>{"a.example"});
  EXPECT_NE(read("tenant: x\n").find("tenants are not there yet"), std::string::npos);
}

TEST_F(ServeOptionsTest, the_file_sets_the_limits_of_series_and_the_switch_of_redaction) {
  EXPECT_EQ(read("max_series: 10\nmax_series_per_metric: 5\nredact: false\n"), "");
  EXPECT_EQ(options_.series.max_series, 10U);
  EXPECT_EQ(options_.series.max_series_per_metric, 5U);
  EXPECT_FALSE(options_.redact);
  EXPECT_NE(read("max_series_per_metric: 0\n").find("at least 1"), std::string::npos);
}

TEST_F(ServeOptionsTest, a_wrong_type_is_told_with_its_line) {
  EXPECT_NE(read("otlp_port: many\n").find("server.yaml:1"), std::string::npos);
}

class FindServerTest : public testing::Test {
 protected:
  // What a server that had this key left in its folder.
  void leave(int64_t pid, uint16_t port, const std::string& key) {
    ASSERT_TRUE(write_file(folder_.path() / "signing.pub", key + "\n"));
    ASSERT_TRUE(write_file(
        folder_.path() / "server.json",
        "{\"pid\": " + std::to_string(pid) +
            ", \"address\": \"127.0.0.1\", \"http_port\": " + std::to_string(port) + "}"));
  }
  // Somebody who answers every request in the same way.
  uint16_t somebody(const net::Response& answer) {
    auto server = net::HttpServer::start(
        {}, [answer](const net::Request&, const net::Reply& reply) { reply(answer); });
    EXPECT_TRUE(server) << server.error().message;
    others_.push_back(*std::move(server));
    return others_.back()->port();
  }
  bool finds_one() { return static_cast<bool>(find_server(folder_.path())); }

  store::TestFolder folder_{testing::TempDir(), "find_server"};
  std::vector<std::unique_ptr<net::HttpServer>> others_;
};

TEST_F(FindServerTest, finds_the_one_that_has_the_key_of_the_folder) {
  const auto port = somebody(net::json_response(200, R"({"public_key": "ours"})"));
  EXPECT_FALSE(finds_one());

  leave(::getpid(), port, "ours");
  const auto found = find_server(folder_.path());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->pid, ::getpid());
  EXPECT_EQ(found->http_port, port);
}

TEST_F(FindServerTest, does_not_take_others_for_one_that_was_killed) {
  const auto alive = ::getpid();
  const auto ours = somebody(net::json_response(200, R"({"public_key": "ours"})"));
  // Above the largest pid that Linux gives (2^22).
  leave(999'999'999, ours, "ours");
  EXPECT_FALSE(finds_one()) << "its process is gone";
  leave(alive, somebody(net::json_response(200, R"({"public_key": "theirs"})")), "ours");
  EXPECT_FALSE(finds_one()) << "a server on another folder";
  leave(alive, somebody(net::text_response(200, "ok\n")), "ours");
  EXPECT_FALSE(finds_one()) << "a program that says ok to everything";
  leave(alive, somebody(net::json_response(404, R"({"public_key": "ours"})")), "ours");
  EXPECT_FALSE(finds_one()) << "a program that has no such address";
  others_.back().reset();
  EXPECT_FALSE(finds_one()) << "nobody";
}

TEST_F(FindServerTest, a_file_that_says_nothing_is_no_server) {
  const auto file = folder_.path() / "server.json";
  leave(::getpid(), somebody(net::json_response(200, R"({"public_key": ""})")), "");
  EXPECT_FALSE(finds_one()) << "no key is not the same key";
  ASSERT_TRUE(write_file(file, "{"));
  EXPECT_FALSE(finds_one());
  ASSERT_TRUE(write_file(file, "{}"));
  EXPECT_FALSE(finds_one());
}

TEST(Server, beyond_loopback_it_does_not_start) {
  const store::TestFolder folder(testing::TempDir(), "server_address");
  const auto server = Server::start({.data = folder.path(), .address = "0.0.0.0"}, system_clock());

  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().code, ErrorCode::invalid_input);
  EXPECT_NE(server.error().message.find("set 'tokens' or 'tls'"), std::string::npos);
}

class LockedServer : public testing::Test {
 protected:
  void SetUp() override {
    const char* library = std::getenv("AUSCULT_LIBCHDB");
    if (const auto why = store::why_no_library(library); !why.empty()) GTEST_SKIP() << why;
    options_.library = library;
  }

  // One token a role, called like it.
  void add_tokens() {
    std::string file;
    for (const auto* role : {"ingest", "read", "operate", "admin"}) {
      const auto made = make_token(role, *token_role(role));
      tokens_[role] = made->text;
      file += made->line + "\n";
    }
    options_.locks.tokens = *read_tokens(*parse_yaml(file, "tokens"));
  }

  void start() {
    auto server = Server::start(options_, system_clock());
    ASSERT_TRUE(server) << server.error().message;
    server_ = *std::move(server);
    where_ = server_->address();
  }

  // The status; 0: no answer.
  int ask(const std::string& method, const std::string& path, const std::string& role,
          uint16_t port = 0, const net::TlsContext& tls = {}) {
    auto client = net::HttpClient::create((tls ? "https" : "http") + std::string("://127.0.0.1:") +
                                              std::to_string(port == 0 ? where_.http_port : port),
                                          size_t{1} << 20U, tls);
    net::Headers headers = {{"Content-Type", "application/json"}};
    if (!role.empty()) headers.emplace_back("Authorization", "Bearer " + tokens_[role]);
    const auto answer = client->request(method, path, headers, method == "POST" ? "{}" : "", 20s);
    return answer ? answer->status : 0;
  }

  store::TestFolder folder_{testing::TempDir(), "locked_server"};
  ServeOptions options_{
      .data = folder_.path() / "data", .otlp_port = 0, .grpc_port = 0, .http_port = 0};
  std::map<std::string, std::string> tokens_;
  std::unique_ptr<Server> server_;
  ServerAddress where_;
};

TEST_F(LockedServer, every_door_asks_for_its_role) {
  add_tokens();
  start();

  EXPECT_EQ(ask("GET", "/healthz", ""), 200);
  EXPECT_EQ(ask("GET", "/readyz", ""), 200);
  EXPECT_EQ(ask("GET", "/metrics", ""), 401);
  EXPECT_EQ(ask("GET", "/metrics", "read"), 200);
  EXPECT_EQ(ask("GET", "/metrics", "ingest"), 403);
  EXPECT_EQ(ask("GET", "/api/auscult/v1/incidents", ""), 401);
  EXPECT_EQ(ask("GET", "/api/auscult/v1/incidents", "operate"), 200);
  EXPECT_EQ(ask("POST", "/api/auscult/v1/diagnose", "read"), 403);
  EXPECT_EQ(ask("POST", "/api/auscult/v1/diagnose", "operate"), 400) << "admitted; names no node";
  EXPECT_EQ(ask("POST", "/api/v1/write", "read"), 403);
  EXPECT_EQ(ask("GET", "/api/auscult/v1/agent/actions?node=n", "read"), 403);
  EXPECT_EQ(ask("POST", "/v1/logs", "", where_.otlp_port), 401);
  EXPECT_EQ(ask("POST", "/v1/logs", "read", where_.otlp_port), 403);
  EXPECT_EQ(ask("POST", "/v1/logs", "ingest", where_.otlp_port), 200);
  EXPECT_EQ(ask("POST", "/v1/logs", "admin", where_.otlp_port), 200);
}

TEST_F(LockedServer, under_tls_both_ports_speak_it_and_server_json_says_so) {
  const auto identity = testing_identity::make_identity("localhost");
  options_.locks.certificate = folder_.path() / "cert.pem";
  options_.locks.key = folder_.path() / "key.pem";
  ASSERT_TRUE(write_file(options_.locks.certificate, identity.certificate));
  ASSERT_TRUE(write_file(options_.locks.key, identity.key));
  start();
  const auto tls = *net::client_context({.ca = identity.certificate});

  EXPECT_EQ(ask("GET", "/healthz", "", 0, tls), 200);
  EXPECT_EQ(ask("POST", "/v1/logs", "", where_.otlp_port, tls), 200);
  EXPECT_EQ(ask("GET", "/healthz", ""), 0);
  const auto found = find_server(options_.data);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->tls);
}

TEST(Server, answers_on_both_ports_and_takes_its_address_back_when_it_stops) {
  const char* library = std::getenv("AUSCULT_LIBCHDB");
  if (const auto why = store::why_no_library(library); !why.empty()) GTEST_SKIP() << why;
  const store::TestFolder folder(testing::TempDir(), "server");
  auto server = Server::start(
      {.data = folder.path(), .library = library, .otlp_port = 0, .grpc_port = 0, .http_port = 0},
      system_clock());
  ASSERT_TRUE(server) << server.error().message;

  const auto found = find_server(folder.path());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->http_port, (*server)->address().http_port);
  const auto get = [](uint16_t port, const std::string& path) {
    auto client = net::HttpClient::create("http://127.0.0.1:" + std::to_string(port));
    const auto response = client->request("GET", path, {}, "", 20s);
    return response ? response->status : 0;
  };
  EXPECT_EQ(get(found->http_port, "/healthz"), 200);
  EXPECT_EQ(get(found->http_port, "/readyz"), 200);
  EXPECT_EQ(get(found->http_port, "/metrics"), 200);
  EXPECT_EQ(get(found->http_port, "/nothing"), 404);
  for (const char* path : {"/healthz", "/readyz", "/metrics", "/api/auscult/v1/nodes"}) {
    auto client = net::HttpClient::create(url_of(*found));
    const auto head = client->request("HEAD", path, {}, "", 20s);
    ASSERT_TRUE(head) << path << ": " << head.error().message;
    EXPECT_EQ(head->status, 200) << path;
    EXPECT_EQ(head->body, "") << path;
    EXPECT_NE(net::header(head->headers, "Content-Length"), "0") << path;
  }
  EXPECT_EQ(get(found->otlp_port, "/v1/metrics"), 405);
  server->reset();
  EXPECT_FALSE(find_server(folder.path()));
}

TEST(Server, listens_on_localhost_and_answers_metrics_until_it_is_gone) {
  const char* library = std::getenv("AUSCULT_LIBCHDB");
  if (const auto why = store::why_no_library(library); !why.empty()) GTEST_SKIP() << why;
  const store::TestFolder folder(testing::TempDir(), "server_localhost");
  auto server = Server::start({.data = folder.path(),
                               .library = library,
                               .address = "localhost",
                               .otlp_port = 0,
                               .grpc_port = 0,
                               .http_port = 0},
                              system_clock());
  ASSERT_TRUE(server) << server.error().message;
  EXPECT_EQ((*server)->address().address, "127.0.0.1");
  const auto url = "http://127.0.0.1:" + std::to_string((*server)->address().http_port);

  // Asks on while the server stops; what the thread sanitizer watches.
  std::promise<void> asked;
  std::jthread asking([&, first = true](const std::stop_token& stop) mutable {
    while (!stop.stop_requested()) {
      auto client = net::HttpClient::create(url);
      const auto answered = client->request("GET", "/metrics", {}, "", 20s);
      if (std::exchange(first, false)) asked.set_value();
      if (!answered) return;
    }
  });
  asked.get_future().wait();
  server->reset();
}

}  // namespace
}  // namespace auscult::serve
