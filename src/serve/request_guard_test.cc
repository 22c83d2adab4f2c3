#include "serve/request_guard.h"

#include <gtest/gtest.h>

namespace auscult::serve {
namespace {

bool refused(net::Headers headers, const GuardRules& rules = {}) {
  return why_refused({.method = "POST",
                      .path = "/",
                      .query = {},
                      .headers = std::move(headers),
                      .body = {},
                      .remote = {}},
                     rules)
      .has_value();
}

TEST(RequestGuard, programs_of_this_host_are_answered) {
  EXPECT_FALSE(refused({}));
  EXPECT_FALSE(refused({{"Host", "127.0.0.1:9494"}}));
  EXPECT_FALSE(refused({{"Host", "localhost"}}));
  EXPECT_FALSE(refused({{"Host", "[::1]:9494"}}));
  EXPECT_FALSE(refused({{"Host", "127.0.0.1:9494"}, {"Origin", "http://127.0.0.1:9494"}}));
}

TEST(RequestGuard, a_page_of_another_site_cannot_post) {
  EXPECT_TRUE(refused({{"Host", "127.0.0.1:9494"}, {"Origin", "http://evil.example"}}));
  EXPECT_TRUE(refused({{"Host", "127.0.0.1:9494"}, {"Origin", "null"}}));
}

TEST(RequestGuard, a_foreign_name_that_points_to_loopback_is_refused) {
  EXPECT_TRUE(refused({{"Host", "evil.example:9494"}}));
  EXPECT_TRUE(refused({{"Host", "localhost.evil.example"}}));
}

TEST(RequestGuard, a_name_that_the_configuration_lists_is_answered) {
  const GuardRules rules{.names = {"auscult.example"}};
  EXPECT_FALSE(refused({{"Host", "auscult.example:9494"}}, rules));
  EXPECT_TRUE(refused({{"Host", "evil.example:9494"}}, rules));
}

TEST(RequestGuard, where_callers_prove_who_they_are_any_name_will_do_but_no_foreign_page) {
  const GuardRules rules{.any_name = true};
  EXPECT_FALSE(refused({{"Host", "node1:9494"}}, rules));
  EXPECT_TRUE(refused({{"Host", "node1:9494"}, {"Origin", "http://evil.example"}}, rules));
}

TEST(RequestGuard, under_tls_the_servers_own_pages_begin_with_https) {
  const GuardRules rules{.https = true};
  EXPECT_FALSE(refused({{"Host", "localhost:1"}, {"Origin", "https://localhost:1"}}, rules));
  EXPECT_TRUE(refused({{"Host", "localhost:1"}, {"Origin", "http://localhost:1"}}, rules));
}

}  // namespace
}  // namespace auscult::serve
