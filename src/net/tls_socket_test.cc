// Client and server with TLS between them, and what comes between when they do not agree.
#include "net/tls_socket.h"

#include "base/testing_identity.h"
#include "net/client.h"
#include "net/server.h"
#include "net/testing_peer.h"

namespace auscult::net {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using testing_identity::Identity;
using testing_identity::make_identity;

void echo(Request request, const Reply& reply) {
  reply(text_response(200, request.method + " " + request.body));
}

TlsContext of_server(const Identity& identity, const std::string& client_ca = {}) {
  return *server_context(
      {.certificate = identity.certificate, .key = identity.key, .client_ca = client_ca});
}

class TlsTest : public testing::Test {
 protected:
  void serve(const TlsContext& context, Handler handler = echo) {
    auto server = HttpServer::start({.tls = context}, std::move(handler));
    ASSERT_TRUE(server) << server.error().message;
    server_ = *std::move(server);
  }

  HttpClient client(const ClientTls& tls, const std::string& host = "127.0.0.1") {
    return *HttpClient::create("https://" + host + ":" + std::to_string(server_->port()),
                               size_t{64} << 20U, *client_context(tls));
  }

  // The body, or the message of the error.
  static std::string ask(HttpClient& client, const std::string& body = "x") {
    const auto answer = client.request("POST", "/", {}, body, 10s);
    return answer ? answer->body : answer.error().message;
  }
  std::string ask(const ClientTls& tls) {
    auto one = client(tls);
    return ask(one);
  }

  Identity identity_ = make_identity("localhost");
  std::unique_ptr<HttpServer> server_;
};

TEST_F(TlsTest, a_request_goes_there_and_its_answer_back_over_one_connection) {
  serve(of_server(identity_));
  auto one = client({.ca = identity_.certificate});

  EXPECT_EQ(ask(one), "POST x");
  EXPECT_EQ(ask(one, "y"), "POST y");
  EXPECT_EQ(server_->stats().connections, 1U);
}

TEST_F(TlsTest, a_body_of_many_records_arrives_whole_in_both_directions) {
  serve(of_server(identity_));
  auto one = client({.ca = identity_.certificate}, "localhost");
  const std::string body(3'000'000, 'b');

  EXPECT_EQ(ask(one, body), "POST " + body);
}

TEST_F(TlsTest, a_server_that_nobody_vouches_for_is_not_asked) {
  serve(of_server(identity_));
  const auto message = ask({.ca = make_identity("localhost").certificate});

  EXPECT_NE(message.find("the server's certificate"), std::string::npos) << message;
  EXPECT_EQ(server_->stats().requests, 0U);
}

TEST_F(TlsTest, a_certificate_of_another_name_is_refused) {
  identity_ = make_identity("elsewhere");
  serve(of_server(identity_));
  auto by_name = client({.ca = identity_.certificate}, "localhost");

  EXPECT_NE(ask(by_name).find("ostname mismatch"), std::string::npos) << ask(by_name);
}

TEST_F(TlsTest, where_clients_need_a_certificate_only_those_of_the_authority_are_answered) {
  const auto friendly = make_identity("client");
  const auto stranger = make_identity("client");
  serve(of_server(identity_, friendly.certificate));
  const auto as = [&](const Identity& who) {
    return ask({.ca = identity_.certificate, .certificate = who.certificate, .key = who.key});
  };

  EXPECT_EQ(as(friendly), "POST x");
  EXPECT_NE(as(stranger), "POST x");
  EXPECT_NE(as({}), "POST x");
  EXPECT_EQ(server_->stats().requests, 1U);
}

TEST_F(TlsTest, cleartext_is_not_answered) {
  serve(of_server(identity_));
  auto peer = Peer::connect(server_->port());
  peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");

  EXPECT_EQ(peer.read_all().find("HTTP"), std::string::npos);
  EXPECT_EQ(server_->stats().requests, 0U);
}

TEST_F(TlsTest, a_new_certificate_serves_new_connections_and_old_ones_go_on) {
  serve(of_server(identity_));
  auto kept = client({.ca = identity_.certificate});
  ASSERT_EQ(ask(kept), "POST x");
  const auto renewed = make_identity("localhost");
  server_->set_tls(of_server(renewed));

  EXPECT_EQ(ask(kept), "POST x");
  EXPECT_EQ(ask({.ca = renewed.certificate}), "POST x");
  EXPECT_NE(ask({.ca = identity_.certificate}), "POST x");
}

TEST_F(TlsTest, a_server_that_stops_in_the_middle_of_a_handshake_is_given_up_in_time) {
  const Listener silent;
  auto one = *HttpClient::create("https://127.0.0.1:" + std::to_string(silent.port()));
  const auto answer = one.request("GET", "/", {}, "", 50ms);

  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("timed out"), std::string::npos);
}

TEST_F(TlsTest, the_server_stops_while_a_client_stops_in_its_handshake) {
  serve(of_server(identity_));
  auto peer = Peer::connect(server_->port());
  peer.send("\x16\x03\x01");
  server_.reset();

  peer.read_all();
  EXPECT_TRUE(peer.closed());
}

}  // namespace
}  // namespace auscult::net
