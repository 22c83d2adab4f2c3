#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions/action.h"
#include "bench/host_tree.h"

namespace auscult::actions {
namespace {

class Policy : public testing::Test {
 protected:
  Policy() : folder_(testing::TempDir()), path_(folder_.root() / "actions.yaml") {}

  Result<ActionPolicy> load(std::string_view text, mode_t mode = 0644) {
    folder_.write("actions.yaml", text);
    ::chmod(path_.c_str(), mode);
    return load_policy(path_);
  }
  std::string problem(std::string_view text, mode_t mode = 0644) {
    const auto policy = load(text, mode);
    return policy ? std::string() : policy.error().message;
  }

  bench::HostTree folder_;
  std::filesystem::path path_;
};

TEST_F(Policy, a_missing_file_allows_nothing) {
  const auto policy = load_policy(path_);
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_FALSE(policy->enabled);
  EXPECT_TRUE(policy->allow.empty());
}

TEST_F(Policy, an_empty_file_allows_nothing) {
  const auto policy = load("# nothing yet\n");
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_FALSE(policy->enabled);
}

TEST_F(Policy, reads_every_member) {
  const auto policy = load(
      "enabled: true\nallow: [benchmark, snapshot]\nscratch: /data/scratch\n"
      "max_seconds: 30\nmax_bytes: 1048576\nallow_peers: [10.0.0.7, n2]\n");
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_TRUE(policy->enabled);
  EXPECT_EQ(policy->allow, (std::set<std::string>{"benchmark", "snapshot"}));
  EXPECT_EQ(policy->scratch, "/data/scratch");
  EXPECT_EQ(policy->max_seconds, 30);
  EXPECT_EQ(policy->max_bytes, 1048576);
  EXPECT_EQ(policy->allow_peers, (std::set<std::string>{"10.0.0.7", "n2"}));
}

TEST_F(Policy, a_typing_error_is_named_with_file_line_and_the_right_word) {
  const std::string key = problem("enabled: true\nalow: [snapshot]\n");
  EXPECT_NE(key.find("actions.yaml:2: unknown key 'alow': did you mean 'allow'?"),
            std::string::npos)
      << key;
  const std::string action_class = problem("enabled: true\nallow:\n  - snapshot\n  - benchmrk\n");
  EXPECT_NE(action_class.find("actions.yaml:4"), std::string::npos) << action_class;
  EXPECT_NE(action_class.find("did you mean 'benchmark'?"), std::string::npos) << action_class;
}

TEST_F(Policy, wrong_values_are_refused) {
  for (const auto* text : {"enabled: maybe\n", "max_seconds: 0\n", "max_seconds: .nan\n",
                           "max_bytes: -1\n", "scratch: here\n", "- enabled\n", "enabled: [\n"}) {
    EXPECT_NE(problem(text), "") << text;
  }
}

TEST_F(Policy, a_file_that_others_may_write_is_refused) {
  EXPECT_NE(problem("enabled: true\n", 0664).find("chmod go-w"), std::string::npos);
  EXPECT_NE(problem("enabled: true\n", 0646).find("chmod go-w"), std::string::npos);
  EXPECT_EQ(problem("enabled: true\n", 0600), "");
}

TEST_F(Policy, a_file_of_another_user_is_refused) {
  if (::geteuid() != 0) GTEST_SKIP() << "giving a file away needs root";
  folder_.write("actions.yaml", "enabled: true\n");
  ASSERT_EQ(::chown(path_.c_str(), 65534, 65534), 0);
  const auto policy = load_policy(path_);
  ASSERT_FALSE(policy);
  EXPECT_NE(policy.error().message.find("only root may allow actions"), std::string::npos);
}

TEST_F(Policy, a_folder_that_others_may_write_is_refused_sticky_or_not) {
  folder_.write("actions.yaml", "enabled: true\n");
  for (const mode_t mode : {0775, 0757, 01777}) {
    ::chmod(folder_.root().c_str(), mode);
    const auto policy = load_policy(path_);
    ASSERT_FALSE(policy) << mode;
    EXPECT_NE(policy.error().message.find("chmod go-w"), std::string::npos);
    EXPECT_EQ(policy.error().message.find("actions.yaml"), std::string::npos)
        << "the folder is to blame: " << policy.error().message;
  }
  ::chmod(folder_.root().c_str(), 0755);
  EXPECT_TRUE(load_policy(path_));
}

TEST_F(Policy, a_folder_of_another_user_is_refused) {
  if (::geteuid() != 0) GTEST_SKIP() << "giving a folder away needs root";
  folder_.write("actions.yaml", "enabled: true\n");
  ASSERT_EQ(::chown(folder_.root().c_str(), 65534, 65534), 0);
  const auto policy = load_policy(path_);
  ASSERT_FALSE(policy);
  EXPECT_NE(policy.error().message.find("only root may allow actions"), std::string::npos);
}

TEST_F(Policy, a_pipe_is_refused_at_once) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  const auto policy = load_policy(path_);
  ASSERT_FALSE(policy);
  EXPECT_NE(policy.error().message.find("no regular file"), std::string::npos);
}

TEST_F(Policy, a_symbolic_link_is_refused) {
  folder_.write("other.yaml", "enabled: true\n");
  std::filesystem::create_symlink("other.yaml", path_);
  const auto policy = load_policy(path_);
  ASSERT_FALSE(policy);
  EXPECT_NE(policy.error().message.find("symbolic link"), std::string::npos);
}

TEST_F(Policy, a_missing_folder_allows_nothing) {
  const auto policy = load_policy(folder_.root() / "none" / "actions.yaml");
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_FALSE(policy->enabled);
}

TEST_F(Policy, a_file_without_end_is_refused) {
  EXPECT_NE(problem(std::string(70'000, '#')).find("64 KiB"), std::string::npos);
}

}  // namespace
}  // namespace auscult::actions
