#include "agent/arguments.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace auscult::agent {
namespace {

std::string error_of(const std::vector<std::string>& arguments) {
  const auto parsed = parse_arguments(arguments, "host");
  return parsed ? "" : parsed.error().message;
}

TEST(AgentArguments, nothing_given_is_the_defaults_and_the_hosts_name) {
  const auto parsed = parse_arguments({}, "host");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->config.tags.node_id, "host");
  EXPECT_FALSE(parsed->once);
}

TEST(AgentArguments, help_lists_the_bound_of_the_spool) {
  EXPECT_NE(usage.find("--spool-max-bytes"), usage.npos);
}

TEST(AgentArguments, both_spellings_of_a_value) {
  const auto parsed = parse_arguments(
      {"--node-id=n1", "--cluster", "c", "--interval", "1s", "--log", "/a=b=trainer"}, "host");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->config.tags.node_id, "n1");
  EXPECT_EQ(parsed->config.tags.cluster, "c");
  EXPECT_EQ(parsed->config.interval, std::chrono::seconds(1));
  EXPECT_EQ(parsed->config.logs, (std::vector<LogFile>{{"/a=b", "trainer"}}));
}

TEST(AgentArguments, files_of_token_and_tls_are_named_and_a_certificate_needs_its_key) {
  const auto parsed = parse_arguments({"--server=https://a:4318", "--token-file", "t", "--ca", "a",
                                       "--certificate", "c", "--key", "k"},
                                      "host");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->config.token_file, "t");
  EXPECT_EQ(parsed->config.ca, "a");
  EXPECT_EQ(parsed->config.certificate, "c");
  EXPECT_EQ(parsed->config.key, "k");
  EXPECT_NE(error_of({"--certificate", "c"}).find("go together"), std::string::npos);
}

TEST(AgentArguments, flags_win_over_the_file_wherever_they_stand) {
  std::string name = testing::TempDir() + "/agent-XXXXXX";
  ::close(::mkstemp(name.data()));
  std::ofstream(name) << "node_id: from_file\ncluster: c\n";

  const auto parsed = parse_arguments({"--node-id", "from_flag", "--config", name}, "host");

  std::filesystem::remove(name);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->config.tags.node_id, "from_flag");
  EXPECT_EQ(parsed->config.tags.cluster, "c");
}

TEST(AgentArguments, a_typing_error_says_what_was_meant) {
  EXPECT_NE(error_of({"--intervall", "1s"}).find("did you mean '--interval'"), std::string::npos);
  EXPECT_NE(error_of({"--interval"}).find("needs a value"), std::string::npos);
  EXPECT_NE(error_of({"--interval", "soon"}).find("--interval"), std::string::npos);
  EXPECT_NE(error_of({"--log", "/a"}).find("PATH=SOURCE"), std::string::npos);
  EXPECT_NE(error_of({"--once", "--format", "json"}).find("prom"), std::string::npos);
  EXPECT_NE(error_of({"--once=1"}).find("no value"), std::string::npos);
  EXPECT_NE(error_of({"word"}).find("unknown option"), std::string::npos);
  EXPECT_NE(error_of({"--config", "/nonexistent.yaml"}).find("/nonexistent.yaml"),
            std::string::npos);
}

TEST(AgentArguments, one_collection_of_a_recorded_host_has_no_tags_of_this_one) {
  const auto parsed = parse_arguments({"--root", "/r", "--once", "--format", "prom"}, "host");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_TRUE(parsed->once);
  EXPECT_EQ(parsed->config.root, "/r");
  EXPECT_EQ(parsed->config.tags, model::Tags{});
}

}  // namespace
}  // namespace auscult::agent
