#include "actions/signing.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "actions/action.h"
#include "base/file.h"
#include "bench/host_tree.h"

namespace auscult::actions {
namespace {

ActionRequest some_request() {
  return {.id = "a1",
          .action_class = "snapshot",
          .action = "process_snapshot",
          .target = "n1",
          .params = Json(Json::Object{{"top", 5}, {"seconds", 1.5}}),
          .issued_at_ns = 1'700'000'000 * ns_per_s,
          .expires_at_ns = 1'700'000'060 * ns_per_s,
          .incident = "i1"};
}

// Expected values from Python's base64 module.
TEST(Base64, agrees_with_another_implementation) {
  EXPECT_EQ(to_base64("a"), "YQ==");
  EXPECT_EQ(to_base64("ab"), "YWI=");
  EXPECT_EQ(to_base64(std::string_view("\xff\xfe\x00", 3)), "//4A");
  EXPECT_EQ(*from_base64("YQ=="), "a");
  EXPECT_EQ(*from_base64("//4A"), std::string("\xff\xfe\x00", 3));
}

TEST(Base64, refuses_what_is_not_padded_base64) {
  for (const auto* text : {"", "YQ", "YQ=", "Y Q=", "YQ==\n", "Y===", "=YQ=", "YQ==YQ==", "Y*=="}) {
    EXPECT_FALSE(from_base64(text)) << text;
  }
}

TEST(Signing, what_was_signed_verifies_also_after_a_journey_as_text) {
  const auto key = SigningKey::generate();
  const Json sent = key.sign(some_request());
  const auto received = Json::parse(sent.dump(2));
  ASSERT_TRUE(received) << received.error().message;

  const auto verified = verify(*received, key.public_key_base64());

  EXPECT_TRUE(verified) << verified.error().message;
}

TEST(Signing, the_order_of_members_does_not_matter) {
  const auto key = SigningKey::generate();
  const Json sent = key.sign(some_request());
  Json::Object members = sent.object();
  std::reverse(members.begin(), members.end());
  EXPECT_TRUE(verify(Json(std::move(members)), key.public_key_base64()));
}

TEST(Signing, any_changed_member_is_noticed) {
  const auto key = SigningKey::generate();
  for (const auto* name : {"id", "class", "action", "target", "params", "limits", "issued_at",
                           "expires_at", "incident"}) {
    Json changed = key.sign(some_request());
    changed.set(name, "other");
    EXPECT_FALSE(verify(changed, key.public_key_base64())) << name;
  }
  Json more = key.sign(some_request());
  more.set("extra", 1);
  EXPECT_FALSE(verify(more, key.public_key_base64()));
}

TEST(Signing, another_key_no_signature_and_nonsense_are_refused) {
  const auto key = SigningKey::generate();
  const Json sent = key.sign(some_request());
  EXPECT_FALSE(verify(sent, SigningKey::generate().public_key_base64()));
  EXPECT_FALSE(verify(sent, ""));
  EXPECT_FALSE(verify(sent, "YQ=="));
  EXPECT_FALSE(verify(to_json(some_request()), key.public_key_base64()));
  Json nonsense = sent;
  nonsense.set("signature", "YQ==");
  EXPECT_FALSE(verify(nonsense, key.public_key_base64()));
  EXPECT_FALSE(verify(Json(), key.public_key_base64()));
}

class KeyFile : public testing::Test {
 protected:
  KeyFile() : folder_(testing::TempDir()), path_(folder_.root() / "keys/server.pem") {}
  bench::HostTree folder_;
  std::filesystem::path path_;
};

TEST_F(KeyFile, is_created_secret_and_read_again) {
  const auto created = SigningKey::load_or_create(path_);
  ASSERT_TRUE(created) << created.error().message;
  struct stat status {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_EQ(list_folder(path_.parent_path()).size(), 1U);

  const auto loaded = SigningKey::load_or_create(path_);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->public_key_base64(), created->public_key_base64());
}

TEST_F(KeyFile, that_others_may_read_is_refused) {
  ASSERT_TRUE(SigningKey::load_or_create(path_));
  ASSERT_EQ(::chmod(path_.c_str(), 0640), 0);
  const auto loaded = SigningKey::load_or_create(path_);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().message.find("chmod 600"), std::string::npos);
}

TEST_F(KeyFile, that_is_no_key_is_corrupt_and_kept) {
  folder_.write("keys/server.pem", "not a key");
  ASSERT_EQ(::chmod(path_.c_str(), 0600), 0);
  const auto loaded = SigningKey::load_or_create(path_);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::corrupt);
  EXPECT_EQ(*read_file(path_), "not a key");
}

}  // namespace
}  // namespace auscult::actions
