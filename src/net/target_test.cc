#include "net/target.h"

#include <gtest/gtest.h>

namespace auscult::net {
namespace {

TEST(Target, path_and_query_are_decoded_and_plus_is_a_blank_in_the_query_only) {
  const auto target = parse_target("/a+b%2Fc?q=x+y%2B&empty=&flag&&q=2");

  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(target->path, "/a+b/c");
  const Headers expected = {{"q", "x y+"}, {"empty", ""}, {"flag", ""}, {"q", "2"}};
  EXPECT_EQ(target->query, expected);
}

TEST(Target, an_escape_at_the_very_end_is_decoded) {
  const auto target = parse_target("/%41?a=%42");
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(target->path, "/A");
  EXPECT_EQ(target->query.front().second, "B");
}

TEST(Target, the_absolute_form_loses_scheme_and_host) {
  EXPECT_EQ(parse_target("http://node:80/x?y=1")->path, "/x");
  EXPECT_EQ(parse_target("http://node:80")->path, "/");
  EXPECT_EQ(parse_target("http://node?y=1")->query.size(), 1U);
}

TEST(Target, broken_escapes_and_other_forms_are_invalid) {
  for (const char* text : {"/%", "/%4", "/%zz", "/?a=%", "/?%4g=1", "x", "", "node:80"}) {
    EXPECT_FALSE(parse_target(text)) << text;
  }
  EXPECT_TRUE(parse_target("*"));
}

}  // namespace
}  // namespace auscult::net
