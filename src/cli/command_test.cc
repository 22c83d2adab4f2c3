#include "cli/command.h"

#include "cli/testing.h"

namespace auscult::cli {
namespace {

TEST_F(CommandTest, an_unknown_command_names_the_nearest) {
  EXPECT_EQ(usage_error({"qurey"}),
            "auscult: there is no command 'qurey': did you mean 'query'?\n");
  EXPECT_EQ(usage_error({"xyzzy"}), "auscult: there is no command 'xyzzy': see auscult --help\n");
}

TEST_F(CommandTest, help_lists_every_command_and_the_exit_statuses) {
  EXPECT_EQ(run({"--help"}), 0);
  for (const auto& [name, command] : all_commands()) {
    EXPECT_TRUE(printed(std::string(name))) << name;
    EXPECT_FALSE(command.summary.empty()) << name;
  }
  EXPECT_TRUE(printed("3 the work could not be done"));
}

TEST_F(CommandTest, nothing_at_all_is_a_usage_error_that_shows_the_help) {
  EXPECT_EQ(run({}), 2);
  EXPECT_EQ(out_.str(), "");
  EXPECT_NE(err_.str().find("usage: auscult COMMAND"), std::string::npos);
}

TEST_F(CommandTest, every_command_explains_itself_and_refuses_an_unknown_option) {
  for (const auto& [name, command] : all_commands()) {
    EXPECT_EQ(run({std::string(name), "--help"}), 0) << name;
    EXPECT_EQ(run({std::string(name), "--no-such-option"}), 2) << name;
    EXPECT_TRUE(err_.str().starts_with("auscult " + std::string(name) + ": ")) << err_.str();
  }
}

TEST_F(CommandTest, work_that_cannot_be_done_is_3) {
  EXPECT_EQ(run({"query", "sql", "SELECT 1"}), 3);
  EXPECT_NE(err_.str().find("there is no store in " + data()), std::string::npos) << err_.str();
}

}  // namespace
}  // namespace auscult::cli
