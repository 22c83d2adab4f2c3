#include "net/http.h"

#include <gtest/gtest.h>

namespace auscult::net {
namespace {

TEST(Http, header_names_do_not_care_about_case_and_the_first_wins) {
  const Headers headers = {{"Content-Type", "a"}, {"content-type", "b"}};
  EXPECT_EQ(header(headers, "CONTENT-TYPE"), "a");
  EXPECT_EQ(header(headers, "Accept"), "");
}

TEST(Http, url_encode_leaves_only_unreserved_characters) {
  EXPECT_EQ(url_encode("up{job=\"a b\"}+1%~é"), "up%7Bjob%3D%22a%20b%22%7D%2B1%25~%C3%A9");
}

TEST(Http, responses_say_what_they_hold) {
  EXPECT_EQ(header(json_response(200, "{}").headers, "content-type"), "application/json");
  EXPECT_EQ(text_response(404, "no").body, "no");
}

}  // namespace
}  // namespace auscult::net
