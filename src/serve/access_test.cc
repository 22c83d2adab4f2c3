#include "serve/access.h"

#include <gtest/gtest.h>

#include <map>

namespace auscult::serve {
namespace {

// `printf %s secret-of-grafana | sha256sum` and so on.
constexpr std::string_view grafana_hash =
    "a5a1a74335e677db4f244cd87145eef880342028fa6f8f6f88024b40a5028493";

Result<std::vector<Token>> tokens_of(const std::string& yaml) {
  const auto parsed = parse_yaml(yaml, "tokens.yaml");
  EXPECT_TRUE(parsed);
  return read_tokens(*parsed);
}

std::string refusal(const std::string& yaml) {
  const auto tokens = tokens_of(yaml);
  return tokens ? "" : tokens.error().message;
}

// One token a role, made as a person makes them.
class AccessTest : public testing::Test {
 protected:
  AccessTest() {
    std::string file;
    for (const auto* role : {"ingest", "read", "operate", "admin"}) {
      const auto made = make_token(std::string("a-") + role, *token_role(role));
      file += made->line + "\n";
      text_[role] = made->text;
    }
    access_ = Access(*tokens_of(file));
  }

  Admission admit(const std::string& role, Role needed) {
    return access_.admit("Bearer " + text_[role], needed);
  }

  std::map<std::string, std::string> text_;
  Access access_;
};

TEST(ReadTokens, keeps_the_hash_of_a_token_that_sha256sum_gives) {
  const Access access(
      *tokens_of("- {name: grafana, role: read, sha256: " + std::string(grafana_hash) + "}"));

  EXPECT_EQ(access.admit("Bearer secret-of-grafana", Role::read).caller, "grafana");
  EXPECT_FALSE(access.admit("Bearer " + std::string(grafana_hash), Role::read).admitted)
      << "the hash is no token";
}

TEST(ReadTokens, tells_a_mistake_with_its_line) {
  const std::string hash(64, 'a');
  EXPECT_NE(refusal("- {name: a, role: reed, sha256: " + hash + "}").find("tokens.yaml:1"),
            std::string::npos);
  EXPECT_NE(refusal("- {name: a b, role: read, sha256: " + hash + "}").find("'name'"),
            std::string::npos);
  EXPECT_NE(refusal("- {name: a, role: read, sha256: secret}").find("'sha256'"), std::string::npos);
  EXPECT_NE(refusal("- {name: a, role: read}").find("sha256"), std::string::npos);
  EXPECT_NE(refusal("- {name: a, role: read, sha256: " + hash +
                    "}\n- {name: a, role: read, sha256: " + hash + "}")
                .find("two tokens"),
            std::string::npos);
  EXPECT_NE(refusal("- read").find("{name"), std::string::npos);
}

// A file that somebody emptied by mistake must not open the doors.
TEST(ReadTokens, an_empty_list_is_refused) {
  EXPECT_NE(refusal("[]"), "");
  EXPECT_NE(refusal(""), "");
}

TEST(ReadTokens, a_tenant_is_refused_until_there_are_tenants) {
  EXPECT_NE(refusal("- {name: a, role: read, tenant: b, sha256: " + std::string(64, 'a') + "}")
                .find("tenants are not there yet"),
            std::string::npos);
}

TEST(MakeToken, never_gives_the_same_twice_and_its_line_does_not_hold_it) {
  const auto one = make_token("a", Role::read);
  const auto other = make_token("a", Role::read);
  ASSERT_TRUE(one && other);
  EXPECT_NE(one->text, other->text);
  EXPECT_EQ(one->line.find(one->text.substr(8)), std::string::npos);
  EXPECT_FALSE(make_token("", Role::read));
  EXPECT_FALSE(make_token("a}", Role::read));
}

TEST_F(AccessTest, each_role_opens_its_own_doors_only) {
  const auto opened = [&](const std::string& role) {
    std::string all;
    for (const auto needed : {Role::ingest, Role::read, Role::operate, Role::admin}) {
      if (admit(role, needed).admitted) all += std::string(to_text(needed)) + " ";
    }
    return all;
  };
  EXPECT_EQ(opened("ingest"), "ingest ");
  EXPECT_EQ(opened("read"), "read ");
  EXPECT_EQ(opened("operate"), "read operate ");
  EXPECT_EQ(opened("admin"), "ingest read operate admin ");
}

TEST_F(AccessTest, a_door_that_does_not_say_whom_it_is_for_opens_to_admin_only) {
  EXPECT_FALSE(admit("operate", Role::unstated).admitted);
  EXPECT_TRUE(admit("admin", Role::unstated).admitted);
}

TEST_F(AccessTest, without_a_token_only_open_doors_open_and_the_role_that_is_missing_is_named) {
  EXPECT_TRUE(access_.admit("", Role::open).admitted);
  for (const auto* wrong : {"", "Bearer", "Bearer ", "Bearer no", "Basic YTpi", "bearer"}) {
    const auto admission = access_.admit(wrong, Role::read);
    EXPECT_FALSE(admission.admitted) << wrong;
    EXPECT_FALSE(admission.known) << wrong;
    EXPECT_NE(admission.message.find("role read"), std::string::npos) << admission.message;
    EXPECT_EQ(admission.message.find("a-"), std::string::npos) << "names a token that exists";
  }
  EXPECT_FALSE(
      access_.admit("Bearer " + std::string(max_token_bytes + 1, 'x'), Role::read).admitted);
}

TEST_F(AccessTest, a_token_of_another_role_is_told_what_it_has_and_what_is_needed) {
  const auto admission = admit("read", Role::operate);
  EXPECT_FALSE(admission.admitted);
  EXPECT_TRUE(admission.known);
  EXPECT_EQ(admission.message, "this needs the role operate; the token 'a-read' has read");
}

TEST_F(AccessTest, the_scheme_is_read_in_any_case) {
  EXPECT_TRUE(access_.admit("bearer " + text_["read"], Role::read).admitted);
  EXPECT_TRUE(access_.admit("BEARER  " + text_["read"] + " ", Role::read).admitted);
}

TEST(Access, without_tokens_nothing_is_asked) {
  EXPECT_TRUE(Access().admit("", Role::admin).admitted);
  EXPECT_EQ(Access().admit("Bearer x", Role::admin).caller, "");
}

}  // namespace
}  // namespace auscult::serve
