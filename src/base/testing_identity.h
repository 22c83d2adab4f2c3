// Identities for tests of TLS: a key and a certificate that is its own authority.
#pragma once

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

namespace auscult::testing_identity {

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

// Good for a day, for the name and for 127.0.0.1.
inline Identity make_identity(const char* name) {
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
  X509_EXTENSION* names =
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name,
                          ("DNS:" + std::string(name) + ",IP:127.0.0.1").c_str());
  X509_add_ext(certificate.get(), names, -1);
  X509_EXTENSION_free(names);
  EXPECT_GT(X509_sign(certificate.get(), key.get(), EVP_sha256()), 0);
  return {.certificate = pem([&](BIO* out) { return PEM_write_bio_X509(out, certificate.get()); }),
          .key = pem([&](BIO* out) {
            return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          })};
}

}  // namespace auscult::testing_identity
