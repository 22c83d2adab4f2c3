#include "serve/server.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <future>
#include <thread>
#include <utility>

#include "base/file.h"
#include "net/client.h"
#include "store/test_folder.h"

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

TEST_F(ServeOptionsTest, a_wrong_type_is_told_with_its_line) {
  EXPECT_NE(read("otlp_port: many\n").find("server.yaml:1"), std::string::npos);
}

TEST(FindServer, finds_the_one_that_lives_and_not_what_a_killed_one_left) {
  const store::TestFolder folder(testing::TempDir(), "find_server");
  EXPECT_FALSE(find_server(folder.path()));

  const auto file = folder.path() / "server.json";
  ASSERT_TRUE(write_file(file, "{\"pid\": " + std::to_string(::getpid()) +
                                   ", \"address\": \"127.0.0.1\", \"http_port\": 5}"));
  const auto found = find_server(folder.path());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->pid, ::getpid());
  EXPECT_EQ(found->http_port, 5);

  // Above the largest pid that Linux gives (2^22).
  ASSERT_TRUE(write_file(file, R"({"pid": 999999999, "http_port": 5})"));
  EXPECT_FALSE(find_server(folder.path()));
  ASSERT_TRUE(write_file(file, "{"));
  EXPECT_FALSE(find_server(folder.path()));
}

TEST(Server, beyond_loopback_it_does_not_start) {
  const store::TestFolder folder(testing::TempDir(), "server_address");
  const auto server = Server::start({.data = folder.path(), .address = "0.0.0.0"}, system_clock());

  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().code, ErrorCode::invalid_input);
  EXPECT_NE(server.error().message.find("loopback"), std::string::npos);
}

TEST(Server, answers_on_both_ports_and_takes_its_address_back_when_it_stops) {
  const char* library = std::getenv("AUSCULT_LIBCHDB");
  if (library == nullptr || ::access(library, R_OK) != 0) GTEST_SKIP() << "no libchdb";
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
  EXPECT_EQ(get(found->otlp_port, "/v1/metrics"), 405);
  server->reset();
  EXPECT_FALSE(find_server(folder.path()));
}

TEST(Server, listens_on_localhost_and_answers_metrics_until_it_is_gone) {
  const char* library = std::getenv("AUSCULT_LIBCHDB");
  if (library == nullptr || ::access(library, R_OK) != 0) GTEST_SKIP() << "no libchdb";
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
