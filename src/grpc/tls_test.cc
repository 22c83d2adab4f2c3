// Who may speak to a front with TLS.
#include <gtest/gtest.h>

#include "base/testing_identity.h"
#include "grpc/front.h"
#include "grpc/testing_client.h"

namespace auscult::grpc {
namespace {

using testing_identity::Identity;
using testing_identity::make_identity;

std::unique_ptr<Front> serve(const Tls& tls) {
  auto front = Front::start(
      {.tls = tls}, [](Call call, const Reply& reply) { reply({.body = std::move(call.body)}); });
  EXPECT_TRUE(front) << front.error().message;
  return front ? std::move(*front) : nullptr;
}

TEST(FrontTls, a_client_that_knows_the_authority_is_served_and_cleartext_is_not) {
  const auto server = make_identity("auscult.test");
  const auto front = serve({.certificate = server.certificate, .key = server.key});

  const auto sent =
      Client(front->port(), rpc::SslCredentials({.pem_root_certs = server.certificate})).start("x");
  EXPECT_TRUE(sent->wait().ok());
  EXPECT_EQ(sent->body(), "x");
  EXPECT_FALSE(Client(front->port()).start("x")->wait().ok());
}

TEST(FrontTls, where_clients_need_a_certificate_only_those_of_the_authority_are_served) {
  const auto server = make_identity("auscult.test");
  const auto friendly = make_identity("client");
  const auto stranger = make_identity("client");
  const auto front = serve(
      {.certificate = server.certificate, .key = server.key, .client_ca = friendly.certificate});
  const auto status_of = [&](const Identity& identity) {
    const auto credentials = rpc::SslCredentials({.pem_root_certs = server.certificate,
                                                  .pem_private_key = identity.key,
                                                  .pem_cert_chain = identity.certificate});
    return Client(front->port(), credentials).start("x")->wait();
  };

  EXPECT_TRUE(status_of(friendly).ok());
  EXPECT_FALSE(status_of(stranger).ok());
  EXPECT_FALSE(status_of({}).ok());
}

TEST(FrontTls, a_certificate_that_does_not_fit_its_key_is_told) {
  const auto one = make_identity("auscult.test");
  const auto other = make_identity("auscult.test");
  for (const Tls& tls : {Tls{one.certificate, other.key, ""}, Tls{"no PEM", one.key, ""},
                         Tls{one.certificate, one.key, "no PEM"}}) {
    const auto front = Front::start({.tls = tls}, [](const Call&, const Reply&) {});
    ASSERT_FALSE(front);
    EXPECT_EQ(front.error().code, ErrorCode::invalid_input);
    EXPECT_EQ(front.error().message,
              "listening on 127.0.0.1 port 0: the TLS certificate, its key or the clients' "
              "authority cannot be used");
  }
}

}  // namespace
}  // namespace auscult::grpc
