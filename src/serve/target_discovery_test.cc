#include "serve/target_discovery.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"

namespace auscult::serve {
namespace {

class TargetDiscoveryTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/auscult-targets-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file(folder / name, text));
  }

  TargetDiscovery discovery(const std::string& pattern) {
    ScrapeJob job{.name = "j"};
    job.files.push_back({.patterns = {(folder / pattern).string()}});
    return {{job}, clock};
  }

  static std::string bases(const TargetDiscovery& discovery) {
    std::string text;
    for (const auto& [key, target] : discovery.targets()) text += target.base.substr(7) + " ";
    return text;
  }

  std::filesystem::path folder;
  ManualClock clock;
};

TEST_F(TargetDiscoveryTest, reads_json_and_yaml_files_of_a_pattern) {
  write("a.json", "[\n\t{\"targets\": [\"h:1\", \"h:2\"],\n\t \"labels\": {\"rack\": \"r\\/1\"}}]");
  write("b.yml", "- targets: [h:3]\n");
  write("c.txt", "- targets: [h:4]\n");

  const auto json = discovery("*.json");
  EXPECT_EQ(bases(json), "h:1 h:2 ");
  EXPECT_EQ(model::label(json.targets().begin()->second.labels, "rack"), "r/1");
  EXPECT_EQ(bases(discovery("*.yml")), "h:3 ");
}

TEST_F(TargetDiscoveryTest, sees_a_file_that_changes_comes_and_goes) {
  write("a.yml", "- targets: [h:1]\n");
  auto found = discovery("*.yml");
  EXPECT_EQ(bases(found), "h:1 ");

  write("a.yml", "- targets: [h:2]\n");
  write("b.yml", "- targets: [h:3, h:2]\n");
  found.refresh();
  EXPECT_EQ(bases(found), "h:2 h:3 ");

  std::filesystem::remove(folder / "a.yml");
  std::filesystem::remove(folder / "b.yml");
  found.refresh();
  EXPECT_EQ(bases(found), "");
}

TEST_F(TargetDiscoveryTest, a_broken_file_keeps_its_targets_and_is_logged_once_with_its_line) {
  write("a.yml", "- targets: [h:1]\n");
  auto found = discovery("*.yml");

  testing::internal::CaptureStderr();
  write("a.yml", "- targets: [h:2]\n- tragets: [h:3]\n");
  found.refresh();
  write("a.yml", "- targets: [h:5]\n- tragets: [h:3]\n");
  found.refresh();
  const std::string logged = testing::internal::GetCapturedStderr();

  EXPECT_EQ(bases(found), "h:1 ");
  const std::string problem = "a.yml:2: unknown key 'tragets': did you mean 'targets'?";
  const auto at = logged.find(problem);
  ASSERT_NE(at, std::string::npos) << logged;
  EXPECT_EQ(logged.find(problem, at + 1), std::string::npos) << logged;
}

TEST_F(TargetDiscoveryTest, an_empty_json_file_is_broken_and_an_empty_yaml_file_has_no_targets) {
  write("a.json", "[{\"targets\": [\"h:1\"]}]");
  write("a.yml", "- targets: [h:2]\n");
  auto json = discovery("*.json");
  auto yaml = discovery("*.yml");

  write("a.json", "");
  write("a.yml", "");
  json.refresh();
  yaml.refresh();

  EXPECT_EQ(bases(json), "h:1 ");
  EXPECT_EQ(bases(yaml), "");
}

TEST_F(TargetDiscoveryTest, targets_beyond_the_most_are_left_out) {
  std::string text = "- targets:\n";
  for (size_t i = 0; i <= TargetDiscovery::max_targets; ++i) {
    text += "  - h" + std::to_string(i) + ":1\n";
  }
  write("a.yml", text);
  EXPECT_EQ(discovery("*.yml").targets().size(), TargetDiscovery::max_targets);
}

}  // namespace
}  // namespace auscult::serve
