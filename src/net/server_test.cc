#include "net/server.h"

#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <thread>

#include "net/testing_peer.h"

namespace auscult::net {
namespace {

using std::chrono_literals::operator""s;

// Answers "<method> <path> <body>".
void echo(Request request, const Reply& reply) {
  reply(text_response(200, request.method + " " + request.path + " " + request.body));
}

std::unique_ptr<HttpServer> serve(const Handler& handler, const ServerOptions& options = {}) {
  auto server = HttpServer::start(options, handler);
  EXPECT_TRUE(server) << server.error().message;
  return server ? std::move(*server) : nullptr;
}

// Keeps the replies of its requests for the test.
class Held {
 public:
  Handler handler() {
    return [this](Request, Reply reply) {
      const std::lock_guard lock(mutex_);
      replies_.push_back(std::move(reply));
      came_.notify_all();
    };
  }
  // The reply of request number `index`, once it has come.
  Reply take(size_t index) {
    std::unique_lock lock(mutex_);
    came_.wait_for(lock, 10s, [&] { return replies_.size() > index; });
    return std::move(replies_.at(index));
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<Reply> replies_;
};

std::string post(std::string_view body, std::string_view extra = "") {
  return "POST /v1/x HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n" + std::string(extra) + "\r\n" + std::string(body);
}

constexpr std::string_view get = "GET /g HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view get_and_close =
    "GET /g HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

bool has(const std::string& text, std::string_view piece) {
  return text.find(piece) != std::string::npos;
}

// Once `server` has that many connections, or false after 10 s.
bool settles_at(const HttpServer& server, uint64_t connections) {
  for (int i = 0; i < 10'000 && server.stats().connections != connections; ++i) {
    ::poll(nullptr, 0, 1);
  }
  return server.stats().connections == connections;
}

TEST(HttpServer, hands_over_the_decoded_request) {
  std::promise<Request> seen;
  const auto server = serve([&](Request request, const Reply& reply) {
    seen.set_value(std::move(request));
    reply(json_response(200, "{}"));
  });
  auto peer = Peer::connect(server->port());
  peer.send(
      "PUT /a%20b?x=1+2&y=%25 HTTP/1.1\r\nHost: a\r\nX-Word: hi\r\nContent-Length: 3\r\n\r\nabc");

  const std::string answer = peer.read_until("{}");

  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
  EXPECT_TRUE(has(answer, "Content-Type: application/json\r\n")) << answer;
  const Request request = seen.get_future().get();
  EXPECT_EQ(request.method, "PUT");
  EXPECT_EQ(request.path, "/a b");
  EXPECT_EQ(request.parameter("x"), "1 2");
  EXPECT_EQ(request.parameter("y"), "%");
  EXPECT_EQ(header(request.headers, "x-word"), "hi");
  EXPECT_EQ(request.body, "abc");
  EXPECT_TRUE(request.remote.starts_with("127.0.0.1:")) << request.remote;
}

TEST(HttpServer, keeps_the_connection_and_answers_pipelined_requests_in_order) {
  const auto server = serve(echo);
  auto peer = Peer::connect(server->port());
  peer.send(post("one") + post("two") + post("three"));

  const std::string answer = peer.read_until("three");

  EXPECT_LT(answer.find("POST /v1/x one"), answer.find("POST /v1/x two"));
  EXPECT_LT(answer.find("POST /v1/x two"), answer.find("POST /v1/x three"));
  EXPECT_TRUE(has(answer, "three")) << answer;
  peer.send(get_and_close);
  EXPECT_TRUE(has(peer.read_all(), "GET /g ")) << "the connection was not kept";
  EXPECT_TRUE(peer.closed());
  EXPECT_EQ(server->stats().requests, 4U);
}

TEST(HttpServer, a_reply_from_another_thread_is_sent_once) {
  std::jthread worker;
  const auto server = serve([&](Request, Reply reply) {
    worker = std::jthread([reply = std::move(reply)] {
      reply(text_response(200, "first"));
      reply(text_response(200, "second"));
    });
  });
  auto peer = Peer::connect(server->port());
  peer.send(get_and_close);
  const std::string answer = peer.read_all();
  EXPECT_TRUE(has(answer, "first") && !has(answer, "second")) << answer;
}

TEST(HttpServer, a_dropped_reply_is_a_500_and_the_connection_lives) {
  const auto server = serve([](const Request& request, const Reply& reply) {
    if (request.method == "GET") reply(text_response(200, "fine"));
  });
  auto peer = Peer::connect(server->port());
  peer.send(post("x"));
  EXPECT_TRUE(has(peer.read_until("answered"), "HTTP/1.1 500"));
  peer.send(get);
  EXPECT_TRUE(has(peer.read_until("fine"), "HTTP/1.1 200"));
  EXPECT_EQ(server->stats().refused, 1U);
}

TEST(HttpServer, an_exception_of_the_handler_is_a_500) {
  const auto server = serve([](const Request&, const Reply&) { throw std::runtime_error("no"); });
  auto peer = Peer::connect(server->port());
  peer.send(get);
  EXPECT_TRUE(has(peer.read_until("answered"), "HTTP/1.1 500"));
}

TEST(HttpServer, a_content_length_above_the_limit_is_413_before_the_body_comes) {
  const auto server = serve(echo, {.max_body_bytes = 10});
  auto peer = Peer::connect(server->port());
  peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n");
  EXPECT_TRUE(has(peer.read_until("limit"), "HTTP/1.1 413"));
  EXPECT_EQ(server->stats().requests, 0U);
}

TEST(HttpServer, a_body_of_exactly_the_limit_passes) {
  const auto server = serve(echo, {.max_body_bytes = 10});
  auto peer = Peer::connect(server->port());
  peer.send(post("0123456789"));
  EXPECT_TRUE(has(peer.read_until("0123456789"), "HTTP/1.1 200"));
}

TEST(HttpServer, a_chunked_body_above_the_limit_is_413) {
  const auto server = serve(echo, {.max_body_bytes = 10});
  auto peer = Peer::connect(server->port());
  peer.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n01234567\r\n");
  peer.send("8\r\n01234567\r\n0\r\n\r\n");
  EXPECT_TRUE(has(peer.read_until("limit"), "HTTP/1.1 413"));
}

TEST(HttpServer, a_refused_client_that_is_still_sending_can_read_its_413) {
  const auto server = serve(echo, {.max_body_bytes = 10});
  auto peer = Peer::connect(server->port());
  peer.send(post(std::string(size_t{4} << 20U, 'x')));
  EXPECT_TRUE(has(peer.read_until("limit"), "HTTP/1.1 413"));
}

TEST(HttpServer, chunks_are_joined) {
  const auto server = serve(echo);
  auto peer = Peer::connect(server->port());
  peer.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  peer.send("4;note=1\r\ndefg\r\n0\r\n\r\n");
  EXPECT_TRUE(has(peer.read_until("abcdefg"), "POST / abcdefg"));
}

TEST(HttpServer, a_header_above_the_limit_is_431) {
  const auto server = serve(echo, {.max_header_bytes = 1000});
  auto peer = Peer::connect(server->port());
  peer.send("GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(2000, 'x') + "\r\n\r\n");
  EXPECT_TRUE(has(peer.read_until("large"), "HTTP/1.1 431"));
}

TEST(HttpServer, a_connection_above_the_limit_gets_503_and_is_closed) {
  const auto server = serve(echo, {.max_connections = 1});
  auto first = Peer::connect(server->port());
  first.send(get);
  first.read_until("GET /g");
  auto second = Peer::connect(server->port());
  second.send(get);

  EXPECT_TRUE(has(second.read_all(), "HTTP/1.1 503"));
  EXPECT_TRUE(second.closed());

  first.close();
  second.close();
  ASSERT_TRUE(settles_at(*server, 0));
  auto third = Peer::connect(server->port());
  third.send(get_and_close);
  EXPECT_TRUE(has(third.read_all(), "HTTP/1.1 200"));
}

TEST(HttpServer, bodies_above_the_sum_get_503_with_retry_after_until_one_is_answered) {
  Held held;
  const auto server = serve(held.handler(), {.max_inflight_body_bytes = 10});
  auto first = Peer::connect(server->port());
  first.send(post("12345678"));
  Reply reply = held.take(0);
  auto second = Peer::connect(server->port());
  second.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\n");

  const std::string refused = second.read_until("Retry-After");
  EXPECT_TRUE(has(refused, "HTTP/1.1 503") && has(refused, "Retry-After: ")) << refused;

  reply(text_response(200, "stored"));
  EXPECT_TRUE(has(first.read_until("stored"), "HTTP/1.1 200"));
  auto third = Peer::connect(server->port());
  third.send(post("12345678"));
  held.take(1)(text_response(200, "stored"));
  EXPECT_TRUE(has(third.read_until("stored"), "HTTP/1.1 200"));
}

TEST(HttpServer, a_chunked_body_counts_into_the_sum_as_it_grows) {
  const auto server = serve(echo, {.max_inflight_body_bytes = 10});
  auto peer = Peer::connect(server->port());
  peer.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n01234567890\r\n");
  EXPECT_TRUE(has(peer.read_until("Retry-After"), "HTTP/1.1 503"));
}

TEST(HttpServer, bytes_of_a_dropped_reply_are_given_back) {
  const auto server = serve([](const Request&, const Reply&) {}, {.max_inflight_body_bytes = 10});
  auto peer = Peer::connect(server->port());
  for (int i = 0; i < 3; ++i) {
    peer.clear();
    peer.send(post("12345678"));
    EXPECT_TRUE(has(peer.read_until("answered"), "HTTP/1.1 500")) << i;
  }
}

TEST(HttpServer, a_client_that_trickles_its_header_is_closed) {
  const auto server = serve(echo, {.read_timeout = 1s});
  auto peer = Peer::connect(server->port());
  peer.send("GET / HTTP/1.1\r\nHost:");
  EXPECT_EQ(peer.read_all(), "");
  EXPECT_TRUE(peer.closed());
  EXPECT_TRUE(settles_at(*server, 0));
}

TEST(HttpServer, a_client_that_trickles_its_body_is_closed) {
  const auto server = serve(echo, {.read_timeout = 1s});
  auto peer = Peer::connect(server->port());
  peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nx");
  EXPECT_EQ(peer.read_all(), "");
  EXPECT_TRUE(peer.closed());
}

TEST(HttpServer, expect_100_continue_is_answered_before_the_body) {
  const auto server = serve(echo);
  auto peer = Peer::connect(server->port());
  peer.send("POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(peer.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  peer.clear();
  peer.send("body");
  EXPECT_TRUE(has(peer.read_until("body"), "HTTP/1.1 200"));
}

TEST(HttpServer, expect_with_too_long_a_body_is_413_and_no_continue) {
  const auto server = serve(echo, {.max_body_bytes = 10});
  auto peer = Peer::connect(server->port());
  peer.send("POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 40\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_TRUE(peer.read_until("limit").starts_with("HTTP/1.1 413"));
}

TEST(HttpServer, head_has_the_length_and_no_body) {
  const auto server =
      serve([](const Request&, const Reply& reply) { reply(text_response(200, "twelve bytes")); });
  auto peer = Peer::connect(server->port());
  peer.send("HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const std::string answer = peer.read_all();
  EXPECT_TRUE(has(answer, "Content-Length: 12\r\n")) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\n")) << answer;
}

TEST(HttpServer, a_204_has_neither_body_nor_length) {
  const auto server = serve([](const Request&, const Reply& reply) {
    reply({.status = 204, .headers = {}, .body = "ignored"});
  });
  auto peer = Peer::connect(server->port());
  peer.send(get_and_close);
  const std::string answer = peer.read_all();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 204") && answer.ends_with("\r\n\r\n")) << answer;
  EXPECT_FALSE(has(answer, "Content-Length")) << answer;
}

TEST(HttpServer, what_is_no_http_is_400) {
  const auto server = serve(echo);
  for (const char* text :
       {"hello\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n", "GET /%zz HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"}) {
    auto peer = Peer::connect(server->port());
    peer.send(text);
    EXPECT_TRUE(peer.read_until("\r\n\r\n").starts_with("HTTP/1.1 400")) << text;
  }
}

TEST(HttpServer, a_line_break_in_a_response_header_is_left_out) {
  const auto server = serve([](const Request&, const Reply& reply) {
    reply({.status = 200, .headers = {{"X-A", "1\r\nX-Evil: 2"}, {"X-B", "3"}}, .body = ""});
  });
  auto peer = Peer::connect(server->port());
  peer.send(get_and_close);
  const std::string answer = peer.read_all();
  EXPECT_TRUE(!has(answer, "X-Evil") && has(answer, "X-B: 3")) << answer;
}

TEST(HttpServer, a_reply_after_the_client_left_does_nothing) {
  Held held;
  const auto server = serve(held.handler());
  auto peer = Peer::connect(server->port());
  peer.send(post("x"));
  const Reply reply = held.take(0);

  peer.close();
  reply(text_response(200, std::string(size_t{1} << 20U, 'x')));

  EXPECT_TRUE(settles_at(*server, 0));
}

TEST(HttpServer, clients_that_leave_at_any_point_leave_no_connection_behind) {
  const auto server = serve(echo);
  const std::string whole = post("body");
  for (size_t length = 0; length <= whole.size(); ++length) {
    auto peer = Peer::connect(server->port());
    peer.send(whole.substr(0, length));
  }
  EXPECT_TRUE(settles_at(*server, 0));
}

TEST(HttpServer, stopping_answers_the_waiting_with_503) {
  Held held;
  auto server = serve(held.handler());
  auto waiting = Peer::connect(server->port());
  waiting.send(post("x"));
  const Reply late = held.take(0);
  auto idle = Peer::connect(server->port());
  ASSERT_TRUE(settles_at(*server, 2));

  server.reset();

  EXPECT_TRUE(has(waiting.read_all(), "HTTP/1.1 503"));
  EXPECT_EQ(idle.read_all(), "");
  EXPECT_TRUE(idle.closed());
  late(text_response(200, "nobody listens"));
}

TEST(HttpServer, replies_may_race_with_the_end_of_the_server) {
  constexpr size_t clients = 4;
  for (int round = 0; round < 20; ++round) {
    Held held;
    auto server = serve(held.handler());
    std::vector<Peer> peers;
    for (size_t i = 0; i < clients; ++i) {
      peers.push_back(Peer::connect(server->port()));
      peers.back().send(post("x"));
    }
    std::vector<Reply> replies;
    for (size_t i = 0; i < clients; ++i) replies.push_back(held.take(i));
    std::jthread worker([&] {
      for (auto& reply : replies) reply(text_response(200, "late"));
    });
    server.reset();
    worker.join();
    for (auto& peer : peers) EXPECT_TRUE(peer.read_all().starts_with("HTTP/1.1 ")) << round;
  }
}

TEST(HttpServer, a_taken_port_is_named) {
  const auto server = serve(echo);
  const auto second = HttpServer::start({.port = server->port()}, echo);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::unavailable);
  EXPECT_EQ(second.error().message, "listening on 127.0.0.1 port " +
                                        std::to_string(server->port()) + ": the port is taken");
}

TEST(HttpServer, an_address_that_is_none_is_named) {
  const auto server = HttpServer::start({.address = "nowhere"}, echo);
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().message, "no IP address: nowhere");
}

TEST(HttpServer, many_clients_at_once_get_each_their_own_answer) {
  const auto server = serve(echo);
  std::vector<std::jthread> clients;
  std::atomic<int> right = 0;
  for (int c = 0; c < 8; ++c) {
    clients.emplace_back([&, c] {
      auto peer = Peer::connect(server->port());
      for (int i = 0; i < 50; ++i) {
        const std::string body = "<" + std::to_string(c) + ":" + std::to_string(i) + ">";
        peer.clear();
        peer.send(post(body));
        if (has(peer.read_until(body), "HTTP/1.1 200")) ++right;
      }
    });
  }
  clients.clear();
  EXPECT_EQ(right, 400);
  EXPECT_EQ(server->stats().requests, 400U);
}

// Knows one client by its header and gives it a name.
std::optional<Response> only_ada(Request& request) {
  if (header(request.headers, "X-Who") != "ada") return text_response(401, "who?\n");
  request.caller = "ada";
  return {};
}

TEST(HttpServer, who_is_not_admitted_gets_its_answer_before_the_body_is_read) {
  Held held;
  const auto server = serve(held.handler(), {.admit = only_ada});
  auto peer = Peer::connect(server->port());
  peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n");

  EXPECT_TRUE(has(peer.read_until("who?"), "HTTP/1.1 401"));
  EXPECT_EQ(server->stats().requests, 0U);
  EXPECT_EQ(server->stats().refused, 1U);
}

TEST(HttpServer, who_is_admitted_comes_to_the_handler_with_a_name) {
  const auto server = serve(
      [](const Request& request, const Reply& reply) {
        reply(text_response(200, request.caller + " says " + request.body));
      },
      {.admit = only_ada});
  auto peer = Peer::connect(server->port());
  peer.send("POST / HTTP/1.1\r\nHost: a\r\nX-Who: ada\r\nContent-Length: 2\r\n\r\nhi");

  EXPECT_TRUE(has(peer.read_until("says hi"), "ada says hi"));
}

}  // namespace
}  // namespace auscult::net
