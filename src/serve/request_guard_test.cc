#include "serve/request_guard.h"

#include <gtest/gtest.h>

namespace auscult::serve {
namespace {

bool refused(net::Headers headers) {
  return why_refused({.method = "POST",
                      .path = "/",
                      .query = {},
                      .headers = std::move(headers),
                      .body = {},
                      .remote = {}})
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

}  // namespace
}  // namespace auscult::serve
