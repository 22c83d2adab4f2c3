#include "cli/options.h"

#include <gtest/gtest.h>

#include <sstream>

namespace auscult::cli {
namespace {

struct Parsed {
  std::string name = "x";
  std::vector<std::string> all;
  double share = 0.1;
  int64_t count = 1;
  bool loud = false;
  std::string format = "table";
  std::string verb;
  std::vector<std::string> files;
  std::ostringstream out;

  Result<bool> parse(const std::vector<std::string>& arguments) {
    Options options("try", "Tries.");
    options.positional("VERB", verb, true, "what")
        .positionals("FILE", files, false, "files")
        .text("--name", name, "a name")
        .texts("--all", all, "repeatable")
        .number("--share", share, "a share")
        .integer("--count", count, "a count")
        .flag("--loud", loud, "louder")
        .choice("--format", format, {"table", "json"}, "how");
    return options.parse(arguments, out);
  }
};

TEST(Options, what_is_not_given_keeps_its_value) {
  Parsed parsed;
  const auto done = parsed.parse({"go"});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(*done);
  EXPECT_EQ(parsed.verb, "go");
  EXPECT_EQ(parsed.name, "x");
  EXPECT_EQ(parsed.share, 0.1);
  EXPECT_EQ(parsed.count, 1);
  EXPECT_FALSE(parsed.loud);
  EXPECT_EQ(parsed.format, "table");
}

TEST(Options, everything_that_is_given_arrives) {
  Parsed parsed;
  ASSERT_TRUE(parsed.parse({"go", "a", "b", "--name", "y", "--all", "1", "--all=2", "--share",
                            "0.5", "--count=-3", "--loud", "--format", "json"}));
  EXPECT_EQ(parsed.files, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(parsed.name, "y");
  EXPECT_EQ(parsed.all, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(parsed.share, 0.5);
  EXPECT_EQ(parsed.count, -3);
  EXPECT_TRUE(parsed.loud);
  EXPECT_EQ(parsed.format, "json");
}

TEST(Options, a_repeatable_option_takes_one_word_each_time) {
  Parsed parsed;
  ASSERT_TRUE(parsed.parse({"go", "--all", "1", "file"}));
  EXPECT_EQ(parsed.all, (std::vector<std::string>{"1"}));
  EXPECT_EQ(parsed.files, (std::vector<std::string>{"file"}));
}

TEST(Options, help_is_printed_and_nothing_is_to_be_done) {
  Parsed parsed;
  const auto done = parsed.parse({"--help"});
  ASSERT_TRUE(done);
  EXPECT_FALSE(*done);
  EXPECT_NE(parsed.out.str().find("auscult try"), std::string::npos) << parsed.out.str();
  EXPECT_NE(parsed.out.str().find("--share"), std::string::npos);
}

TEST(Options, usage_errors_are_one_line_that_names_the_help) {
  const std::vector<std::vector<std::string>> wrong = {
      {}, {"go", "--bad"}, {"go", "--count", "x"}, {"go", "--format", "xml"}, {"go", "--name"}};
  for (const auto& arguments : wrong) {
    Parsed parsed;
    const auto done = parsed.parse(arguments);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::invalid_input);
    EXPECT_EQ(done.error().message.find('\n'), std::string::npos);
    EXPECT_NE(done.error().message.find("auscult try --help"), std::string::npos);
  }
}

}  // namespace
}  // namespace auscult::cli
