#include "bench/params.h"

#include <gtest/gtest.h>

namespace auscult::bench {
namespace {

const model::Labels defaults = {{"iodepth", "32"}, {"runtime", "10"}, {"size", "1G"}};

TEST(Params, given_values_win_over_defaults_and_the_rest_is_filled_in) {
  const auto params = complete(defaults, {{"size", "4k"}});

  ASSERT_TRUE(params) << params.error().message;
  EXPECT_EQ(*params, (model::Labels{{"iodepth", "32"}, {"runtime", "10"}, {"size", "4k"}}));
}

TEST(Params, an_unknown_name_is_refused_with_the_nearest_one) {
  const auto params = complete(defaults, {{"runtme", "1"}});

  ASSERT_FALSE(params);
  EXPECT_EQ(params.error().code, ErrorCode::invalid_input);
  EXPECT_NE(params.error().message.find("did you mean 'runtime'?"), std::string::npos)
      << params.error().message;
}

TEST(Params, an_unknown_name_like_no_other_lists_what_there_is) {
  const auto params = complete(defaults, {{"colour", "red"}});

  ASSERT_FALSE(params);
  EXPECT_NE(params.error().message.find("iodepth, runtime, size"), std::string::npos)
      << params.error().message;
}

TEST(Params, sizes_have_binary_suffixes) {
  EXPECT_EQ(*parse_size("4096"), 4096);
  EXPECT_EQ(*parse_size("4k"), 4096);
  EXPECT_EQ(*parse_size("256M"), 268435456);
  EXPECT_EQ(*parse_size("1g"), 1073741824);
  EXPECT_EQ(*parse_size("2T"), 2199023255552);
}

TEST(Params, what_is_no_size_is_refused) {
  for (const auto* text : {"", "k", "0", "-1", "1.5G", "12Q", "9000000000000T"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
}

TEST(Params, numbers_outside_the_range_and_nan_are_refused) {
  for (const auto* text : {"0", "101", "nan", "ten", ""}) {
    EXPECT_FALSE(number_param({{"seconds", text}}, "seconds", {1, 100})) << text;
  }
  EXPECT_EQ(*number_param({{"seconds", "2.5"}}, "seconds", {1, 100}), 2.5);
  EXPECT_FALSE(count_param({{"threads", "2.5"}}, "threads", {1, 100}));
  EXPECT_FALSE(count_param({{"threads", "101"}}, "threads", {1, 100}));
  EXPECT_EQ(*count_param({{"threads", "100"}}, "threads", {1, 100}), 100);
}

TEST(Params, a_size_out_of_range_is_refused) {
  EXPECT_FALSE(size_param({{"bs", "1"}}, "bs", {512, 4096}));
  EXPECT_FALSE(size_param({{"bs", "8k"}}, "bs", {512, 4096}));
  EXPECT_EQ(*size_param({{"bs", "4k"}}, "bs", {512, 4096}), 4096);
}

TEST(Params, a_list_names_only_known_words_and_each_once) {
  const std::vector<std::string_view> known = {"randread", "seqread"};

  EXPECT_EQ(*list_param({{"phases", "seqread, randread"}}, "phases", known),
            (std::vector<std::string>{"seqread", "randread"}));
  EXPECT_FALSE(list_param({{"phases", ""}}, "phases", known));
  EXPECT_FALSE(list_param({{"phases", "seqread,seqread"}}, "phases", known));
  const auto mistyped = list_param({{"phases", "randred"}}, "phases", known);
  ASSERT_FALSE(mistyped);
  EXPECT_NE(mistyped.error().message.find("'randread'?"), std::string::npos)
      << mistyped.error().message;
}

}  // namespace
}  // namespace auscult::bench
