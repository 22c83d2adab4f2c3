#include "net/tls.h"

#include <openssl/ssl.h>

#include "base/testing_identity.h"

namespace auscult::net {
namespace {

using testing_identity::make_identity;

TEST(Tls, a_key_that_does_not_fit_and_a_text_that_is_no_pem_are_told) {
  const auto one = make_identity("a");
  const auto other = make_identity("a");
  const auto refusal = [](const ServerTls& tls) {
    const auto context = server_context(tls);
    return context ? "" : context.error().message;
  };

  EXPECT_EQ(refusal({.certificate = one.certificate, .key = one.key}), "");
  EXPECT_NE(refusal({.certificate = one.certificate, .key = other.key}).find("does not fit"),
            std::string::npos);
  EXPECT_NE(refusal({.certificate = "x", .key = one.key}).find("certificate"), std::string::npos);
  EXPECT_NE(refusal({.certificate = one.certificate, .key = "x"}).find("key"), std::string::npos);
  EXPECT_NE(
      refusal({.certificate = one.certificate, .key = one.key, .client_ca = "x"}).find("client_ca"),
      std::string::npos);
}

TEST(Tls, a_client_needs_no_certificate_but_one_without_its_key_is_told) {
  const auto one = make_identity("a");
  EXPECT_TRUE(client_context({}));
  EXPECT_TRUE(client_context({.ca = one.certificate}));
  EXPECT_FALSE(client_context({.ca = "x"}));
  EXPECT_FALSE(client_context({.certificate = one.certificate}));
  EXPECT_FALSE(client_context({.key = one.key}));
}

// Asked of the context: Debian's OpenSSL refuses older ones anyway, others do not.
TEST(Tls, neither_end_speaks_a_protocol_older_than_1_2) {
  const auto one = make_identity("a");
  const auto server = *server_context({.certificate = one.certificate, .key = one.key});
  const auto client = *client_context({});
  EXPECT_EQ(SSL_CTX_get_min_proto_version(server.get()), TLS1_2_VERSION);
  EXPECT_EQ(SSL_CTX_get_min_proto_version(client.get()), TLS1_2_VERSION);
}

}  // namespace
}  // namespace auscult::net
