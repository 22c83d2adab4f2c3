#include "store/store_url.h"

#include <gtest/gtest.h>

namespace auscult::store {
namespace {

std::string refusal(std::string_view text) {
  const auto url = parse_store_url(text);
  return url ? "taken" : url.error().message;
}

TEST(StoreUrl, has_hosts_user_path_and_cluster) {
  const auto url = parse_store_url("http://ingest@db1:8124,db2,[::1]/clickhouse?cluster=main");
  ASSERT_TRUE(url) << url.error().message;
  EXPECT_EQ(url->endpoints,
            (std::vector<std::string>{"http://db1:8124", "http://db2:8123", "http://[::1]:8123"}));
  EXPECT_EQ(url->user, "ingest");
  EXPECT_EQ(url->path, "/clickhouse");
  EXPECT_EQ(url->cluster, "main");
  const auto plain = parse_store_url("http://db1");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->user, "default");
  EXPECT_EQ(plain->path, "/");
  EXPECT_EQ(plain->cluster, "");
}

TEST(StoreUrl, a_password_does_not_belong_there) {
  EXPECT_EQ(refusal("http://u:secret@db1"),
            "store address: no password in it: give AUSCULT_STORE_PASSWORD or "
            "--store-password-file");
}

TEST(StoreUrl, what_is_no_address_is_refused) {
  EXPECT_NE(refusal("db1:8123").find("must begin with http://"), std::string::npos);
  for (const auto* text : {"http://", "http://db1,,db2", "http://db1:0", "http://db1?x=1",
                           "ftp://db1", "http://db1:99999"}) {
    EXPECT_NE(refusal(text), "taken") << text;
  }
}

}  // namespace
}  // namespace auscult::store
