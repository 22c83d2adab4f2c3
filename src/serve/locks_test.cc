#include "serve/locks.h"

#include "base/file.h"
#include "base/testing_identity.h"
#include "store/test_folder.h"

namespace auscult::serve {
namespace {

using testing_identity::make_identity;

class LocksTest : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) {
    const auto file = folder_.path() / name;
    EXPECT_TRUE(write_file(file, text));
    return file;
  }
  // What a configuration with this text sets, or its refusal.
  std::string read(const std::string& yaml, LockOptions& options) {
    const auto root = parse_yaml(yaml, "server.yaml");
    EXPECT_TRUE(root);
    const auto done = read_lock_options(root->find("tokens"), root->find("tls"), options);
    return done ? "" : done.error().message;
  }
  LockOptions with_tls() {
    const auto identity = make_identity("a");
    return {.certificate = write("cert.pem", identity.certificate),
            .key = write("key.pem", identity.key)};
  }

  store::TestFolder folder_{testing::TempDir(), "locks"};
};

TEST_F(LocksTest, tokens_stand_in_the_configuration_or_in_a_file_that_it_names) {
  const std::string hash(64, 'a');
  LockOptions inline_ones;
  EXPECT_EQ(read("tokens:\n  - {name: a, role: read, sha256: " + hash + "}", inline_ones), "");
  EXPECT_EQ(inline_ones.tokens.size(), 1U);

  LockOptions by_file;
  EXPECT_EQ(read("tokens: /etc/tokens.yaml", by_file), "");
  EXPECT_EQ(by_file.token_file, "/etc/tokens.yaml");

  LockOptions none;
  EXPECT_EQ(read("data: x", none), "");
  EXPECT_FALSE((*Locks::open(none))->asks());
}

TEST_F(LocksTest, what_says_nothing_usable_is_refused_and_does_not_mean_open) {
  LockOptions options;
  for (const auto* yaml : {"tokens: []", "tokens: ''", "tokens:", "tls: {certificate: a}",
                           "tls: {certificate: '', key: ''}", "tls: on",
                           "tls: {certificate: a, key: b, client_ac: c}"}) {
    EXPECT_NE(read(yaml, options).find("server.yaml:1"), std::string::npos) << yaml;
  }
}

TEST_F(LocksTest, a_file_that_is_not_there_or_empty_is_told_by_its_name) {
  const auto missing = folder_.path() / "missing.yaml";
  const auto no_file = Locks::open({.token_file = missing});
  ASSERT_FALSE(no_file);
  EXPECT_NE(no_file.error().message.find("missing.yaml"), std::string::npos);
  const auto no_token = Locks::open({.token_file = write("tokens.yaml", "")});
  ASSERT_FALSE(no_token);
  EXPECT_NE(no_token.error().message.find("tokens.yaml"), std::string::npos);
  auto options = with_tls();
  options.client_ca = write("ca.pem", "");
  const auto no_ca = Locks::open(options);
  ASSERT_FALSE(no_ca);
  EXPECT_NE(no_ca.error().message.find("ca.pem"), std::string::npos);
}

TEST_F(LocksTest, a_token_that_leaves_the_file_is_refused_after_a_reload) {
  const auto ada = make_token("ada", Role::read);
  const auto bob = make_token("bob", Role::read);
  const auto file = write("tokens.yaml", ada->line + "\n" + bob->line + "\n");
  const auto locks = *Locks::open({.token_file = file});
  ASSERT_TRUE(locks->access()->admit("Bearer " + ada->text, Role::read).admitted);

  write("tokens.yaml", bob->line + "\n");
  EXPECT_FALSE(locks->reload()) << "no certificate changed";

  EXPECT_FALSE(locks->access()->admit("Bearer " + ada->text, Role::read).admitted);
  EXPECT_TRUE(locks->access()->admit("Bearer " + bob->text, Role::read).admitted);
}

TEST_F(LocksTest, a_file_that_was_broken_or_removed_leaves_the_locks_as_they_were) {
  const auto ada = make_token("ada", Role::read);
  const auto file = write("tokens.yaml", ada->line);
  const auto locks = *Locks::open({.token_file = file});

  for (const auto* broken : {"", "- {name: ada", "[]"}) {
    write("tokens.yaml", broken);
    EXPECT_FALSE(locks->reload());
    EXPECT_TRUE(locks->asks());
    EXPECT_TRUE(locks->access()->admit("Bearer " + ada->text, Role::read).admitted);
  }
  std::filesystem::remove(file);
  EXPECT_FALSE(locks->reload());
  EXPECT_TRUE(locks->asks());
}

TEST_F(LocksTest, a_renewed_certificate_is_taken_when_its_key_is_there_too) {
  const auto locks = *Locks::open(with_tls());
  const auto old = locks->tls();
  ASSERT_NE(old, nullptr);
  EXPECT_FALSE(locks->reload());

  const auto renewed = make_identity("a");
  write("cert.pem", renewed.certificate);
  EXPECT_FALSE(locks->reload()) << "half of it is no pair";
  EXPECT_EQ(locks->tls(), old);
  write("key.pem", renewed.key);
  EXPECT_TRUE(locks->reload());

  EXPECT_NE(locks->tls(), old);
  EXPECT_EQ(locks->grpc_tls()->certificate, renewed.certificate);
}

}  // namespace
}  // namespace auscult::serve
