// Who may speak to a front with TLS.
#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "grpc/front.h"
#include "grpc/testing_client.h"

namespace auscult::grpc {
namespace {

struct Identity {
  std::string certificate;  // signed by itself, so it is its own authority
  std::string key;
};

template <typename Write>
std::string pem(Write write) {
  const std::unique_ptr<BIO, int (*)(BIO*)> out(BIO_new(BIO_s_mem()), BIO_free);
  EXPECT_EQ(write(out.get()), 1);
  char* data = nullptr;
  const auto size = BIO_get_mem_data(out.get(), &data);
  return {data, static_cast<size_t>(size)};
}

Identity make_identity(const char* name) {
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, void (*)(X509*)> certificate(X509_new(), X509_free);
  constexpr long day_s = 86'400;
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -day_s);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), day_s);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), subject);
  X509_EXTENSION* names = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name,
                                              (std::string("DNS:") + name).c_str());
  X509_add_ext(certificate.get(), names, -1);
  X509_EXTENSION_free(names);
  EXPECT_GT(X509_sign(certificate.get(), key.get(), EVP_sha256()), 0);
  return {.certificate = pem([&](BIO* out) { return PEM_write_bio_X509(out, certificate.get()); }),
          .key = pem([&](BIO* out) {
            return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          })};
}

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
