#include "net/client.h"

#include <gtest/gtest.h>
#include <netdb.h>

#include <thread>

#include "base/clock.h"
#include "net/server.h"
#include "net/testing_peer.h"

namespace auscult::net {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

HttpClient client_of(uint16_t port) {
  auto client = HttpClient::create("http://127.0.0.1:" + std::to_string(port));
  EXPECT_TRUE(client) << client.error().message;
  return std::move(*client);
}

TEST(Url, parts_are_taken_apart) {
  const auto url = parse_url("http://node1:4318/v1/x?y=1#part");
  ASSERT_TRUE(url) << url.error().message;
  EXPECT_EQ(url->host, "node1");
  EXPECT_EQ(url->port, 4318);
  EXPECT_EQ(url->path, "/v1/x?y=1");
  EXPECT_EQ(parse_url("http://node1")->port, 80);
  EXPECT_EQ(parse_url("http://node1")->path, "/");
  EXPECT_EQ(parse_url("http://node1?a=1")->path, "/?a=1");
}

TEST(Url, https_has_a_port_of_its_own) {
  EXPECT_FALSE(parse_url("http://a")->tls);
  EXPECT_TRUE(parse_url("https://a")->tls);
  EXPECT_EQ(parse_url("https://a")->port, 443);
  EXPECT_EQ(parse_url("https://a:9494")->port, 9494);
}

TEST(Url, ipv6_literals_lose_their_brackets) {
  const auto url = parse_url("http://[::1]:9494/");
  ASSERT_TRUE(url) << url.error().message;
  EXPECT_EQ(url->host, "::1");
  EXPECT_EQ(url->port, 9494);
}

TEST(Url, what_is_none_says_why) {
  for (const char* text : {"", "a:80", "ftp://a", "http://", "http://:80", "http://a:0",
                           "http://a:", "http://a:65536", "http://a:x", "http://[::1",
                           "http://u:p@a", "http://a/b c", "http://a/\r\nX: y", "http://a\r\n"}) {
    const auto url = parse_url(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().code, ErrorCode::invalid_input) << text;
  }
}

TEST(HttpClient, talks_to_our_server_over_one_connection) {
  const auto server = HttpServer::start({}, [](Request request, const Reply& reply) {
    reply(text_response(201, header(request.headers, "X-Word").data() + request.body));
  });
  ASSERT_TRUE(server) << server.error().message;
  auto client = client_of((*server)->port());

  for (int i = 0; i < 3; ++i) {
    const auto answer = client.request("POST", "/x", {{"X-Word", "hi"}}, " there", 5s);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, 201);
    EXPECT_EQ(answer->body, "hi there");
    EXPECT_EQ((*server)->stats().connections, 1U);
  }
}

TEST(HttpClient, talks_over_ipv6) {
  const auto server =
      HttpServer::start({.address = "::1"}, [](Request request, const Reply& reply) {
        reply(text_response(200, request.remote + header(request.headers, "Host").data()));
      });
  if (!server) GTEST_SKIP() << "this host has no IPv6: " << server.error().message;
  const std::string base = "[::1]:" + std::to_string((*server)->port());
  auto client = HttpClient::create("http://" + base);
  ASSERT_TRUE(client) << client.error().message;

  const auto answer = client->request("GET", "/", {}, "", 5s);

  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(answer->body.starts_with("[::1]:")) << answer->body;
  EXPECT_TRUE(answer->body.ends_with(base)) << answer->body;
}

TEST(HttpClient, head_reads_no_body) {
  const auto server = HttpServer::start(
      {}, [](const Request&, const Reply& reply) { reply(text_response(200, "long body")); });
  ASSERT_TRUE(server) << server.error().message;
  auto client = client_of((*server)->port());
  for (int i = 0; i < 2; ++i) {
    const auto answer = client.request("HEAD", "/", {}, "", 5s);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, "");
    EXPECT_EQ(header(answer->headers, "Content-Length"), "9");
  }
}

// A server that plays one script a connection: wait for a request, then send the text and close.
class Scripted {
 public:
  explicit Scripted(std::vector<std::string> answers)
      : thread_([this, answers = std::move(answers)] {
          for (const auto& answer : answers) {
            Peer peer = listener_.accept();
            peer.read_until("\r\n\r\n");
            peer.send(answer);
          }
        }) {}
  uint16_t port() const { return listener_.port(); }

 private:
  Listener listener_;
  std::jthread thread_;
};

constexpr const char* ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

TEST(HttpClient, a_kept_connection_that_the_server_closed_is_replaced) {
  const Scripted server({ok, ok});
  auto client = client_of(server.port());
  for (int i = 0; i < 2; ++i) {
    const auto answer = client.request("POST", "/", {}, "x", 5s);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, "ok");
  }
}

TEST(HttpClient, a_new_connection_that_closes_without_an_answer_is_unavailable) {
  const Scripted server({"", ok});
  auto client = client_of(server.port());
  const auto answer = client.request("GET", "/", {}, "", 5s);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
  EXPECT_NE(answer.error().message.find("closed the connection"), std::string::npos);
  EXPECT_TRUE(client.request("GET", "/", {}, "", 5s));
}

TEST(HttpClient, an_answer_cut_short_is_unavailable) {
  for (const char* text :
       {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort", "HTTP/1.1 2",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", "garbage\r\n\r\n"}) {
    const Scripted server({text});
    auto client = client_of(server.port());
    const auto answer = client.request("GET", "/", {}, "", 5s);
    ASSERT_FALSE(answer) << text;
    EXPECT_EQ(answer.error().code, ErrorCode::unavailable) << text;
  }
}

TEST(HttpClient, chunked_and_unframed_answers_are_read) {
  const Scripted server(
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: "
       "close\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
       "HTTP/1.0 200 OK\r\n\r\nuntil the end",
       "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n"
       "\r\nlast"});
  auto client = client_of(server.port());
  for (const char* body : {"abc", "until the end", "last"}) {
    const auto answer = client.request("GET", "/", {}, "", 5s);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, body);
  }
}

TEST(HttpClient, an_answer_above_64_mib_is_refused) {
  const Scripted server({"HTTP/1.1 200 OK\r\nContent-Length: 67108865\r\n\r\n"});
  auto client = client_of(server.port());
  const auto answer = client.request("GET", "/", {}, "", 5s);
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("body limit"), std::string::npos) << answer.error().message;
}

TEST(HttpClient, a_silent_server_ends_in_a_time_out) {
  const Listener silent;
  auto client = client_of(silent.port());
  const auto answer = client.request("GET", "/", {}, "", 100ms);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
  EXPECT_NE(answer.error().message.find("timed out"), std::string::npos);
}

TEST(HttpClient, the_deadline_covers_an_answer_that_trickles) {
  const Listener listener;
  std::jthread server([&](const std::stop_token& stop) {
    Peer peer = listener.accept();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
    while (!stop.stop_requested()) {
      peer.send("x");
      ::poll(nullptr, 0, 10);
    }
  });
  auto client = client_of(listener.port());
  const auto begin = system_clock().monotonic();
  const auto answer = client.request("GET", "/", {}, "", 300ms);
  EXPECT_FALSE(answer);
  EXPECT_LT(system_clock().monotonic() - begin, 10s);
}

TEST(HttpClient, cancel_ends_the_request_in_flight_and_the_next_one_works) {
  const Listener listener;
  auto client = client_of(listener.port());
  std::jthread server([&] {
    Peer first = listener.accept();
    first.read_until("\r\n\r\n");
    client.cancel();
    first.read_all();
    Peer second = listener.accept();
    second.read_until("\r\n\r\n");
    second.send(ok);
  });
  const auto answer = client.request("GET", "/", {}, "", 60s);
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("cancelled"), std::string::npos);
  const auto next = client.request("GET", "/", {}, "", 10s);
  EXPECT_TRUE(next) << next.error().message;
}

TEST(HttpClient, cancel_between_requests_ends_the_next_one) {
  const Listener silent;
  auto client = client_of(silent.port());
  client.cancel();
  EXPECT_FALSE(client.request("GET", "/", {}, "", 60s));
}

TEST(HttpClient, cancel_ends_the_connecting_whatever_addresses_the_host_has_left) {
  addrinfo* found = nullptr;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  if (::getaddrinfo("localhost", "80", &hints, &found) != 0) GTEST_SKIP() << "no localhost here";
  const bool several = found->ai_next != nullptr;
  ::freeaddrinfo(found);
  if (!several) GTEST_SKIP() << "localhost has one address on this host";
  const Scripted server({ok, ok});
  auto client = HttpClient::create("http://localhost:" + std::to_string(server.port()));
  ASSERT_TRUE(client);
  client->cancel();

  const auto answer = client->request("GET", "/", {}, "", 60s);

  const std::string problem = answer ? "" : answer.error().message;
  EXPECT_NE(problem.find("cancelled"), std::string::npos) << problem;
  for (int i = 0; i < 2; ++i) Peer::connect(server.port()).send("\r\n\r\n");  // let it end
}

TEST(HttpClient, an_answer_above_the_clients_own_limit_is_refused) {
  for (const char* text :
       {"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nelevenbytes",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\nelevenbytes\r\n0\r\n\r\n",
        "HTTP/1.0 200 OK\r\n\r\nelevenbytes"}) {
    const Scripted server({text});
    auto client = HttpClient::create("http://127.0.0.1:" + std::to_string(server.port()), 10);
    ASSERT_TRUE(client);
    const auto answer = client->request("GET", "/", {}, "", 5s);
    ASSERT_FALSE(answer) << text;
    EXPECT_NE(answer.error().message.find("body limit"), std::string::npos)
        << answer.error().message;
  }
}

TEST(HttpClient, a_streamed_body_passes_the_limit_in_pieces) {
  const std::string page(1'000'000, 'x');
  auto server = HttpServer::start({}, [&](const Request& request, const Reply& reply) {
    reply(text_response(request.path == "/ok" ? 200 : 500, page));
  });
  ASSERT_TRUE(server);
  auto client = HttpClient::create("http://127.0.0.1:" + std::to_string((*server)->port()), 1'000);
  ASSERT_TRUE(client);
  size_t n_bytes = 0;
  size_t n_pieces = 0;
  const auto count = [&](std::string_view content_type, std::string_view bytes) -> Result<> {
    EXPECT_TRUE(content_type.starts_with("text/plain"));
    n_bytes += bytes.size();
    ++n_pieces;
    return Ok{};
  };

  const auto streamed = client->request_streamed("GET", "/ok", {}, "", 10s, count);
  ASSERT_TRUE(streamed) << streamed.error().message;
  EXPECT_EQ(n_bytes, page.size());
  EXPECT_GT(n_pieces, 10U);
  EXPECT_TRUE(streamed->body.empty());

  n_bytes = 0;
  EXPECT_FALSE(client->request_streamed("GET", "/bad", {}, "", 10s, count));
  EXPECT_EQ(n_bytes, 0U);
}

TEST(HttpClient, a_sink_that_has_enough_ends_the_request) {
  auto server = HttpServer::start({}, [&](const Request&, const Reply& reply) {
    reply(text_response(200, std::string(1'000'000, 'x')));
  });
  ASSERT_TRUE(server);
  auto client = client_of((*server)->port());
  size_t n_calls = 0;

  const auto response = client.request_streamed(
      "GET", "/", {}, "", 10s, [&](std::string_view, std::string_view) -> Result<> {
        ++n_calls;
        return Error{ErrorCode::invalid_input, "enough"};
      });
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::invalid_input);
  EXPECT_EQ(n_calls, 1U);
  EXPECT_TRUE(client.request("GET", "/", {}, "", 10s));
}

TEST(HttpClient, a_body_larger_than_the_sockets_buffers_arrives_whole) {
  const auto server = HttpServer::start({}, [](Request request, const Reply& reply) {
    reply(text_response(200, std::to_string(request.body.size()) + request.body.back()));
  });
  ASSERT_TRUE(server) << server.error().message;
  auto client = client_of((*server)->port());
  const auto answer =
      client.request("POST", "/", {}, std::string(size_t{12} << 20U, 'x') + "y", 20s);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "12582913y");
}

TEST(HttpClient, a_port_without_a_server_says_so) {
  uint16_t port = 0;
  {
    const Listener gone;
    port = gone.port();
  }
  auto client = client_of(port);
  const auto answer = client.request("GET", "/a", {}, "", 5s);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message,
            "GET http://127.0.0.1:" + std::to_string(port) + "/a: connecting: Connection refused");
}

TEST(HttpClient, a_line_break_in_target_or_header_is_invalid) {
  const Listener silent;
  auto client = client_of(silent.port());
  for (const auto& answer : {client.request("GET", "/\r\nX: y", {}, "", 1s),
                             client.request("GET", "/", {{"X", "y\nZ: w"}}, "", 1s)}) {
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::invalid_input);
  }
}

TEST(HttpClient, reads_a_413_that_comes_while_it_is_sending) {
  const auto server = HttpServer::start(
      {.max_body_bytes = 10}, [](const Request&, const Reply& r) { r(text_response(200, "")); });
  ASSERT_TRUE(server) << server.error().message;
  auto client = client_of((*server)->port());
  const auto answer = client.request("POST", "/", {}, std::string(size_t{8} << 20U, 'x'), 10s);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 413);
}

}  // namespace
}  // namespace auscult::net
