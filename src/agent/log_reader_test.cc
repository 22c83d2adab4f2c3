#include "agent/log_reader.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace auscult::agent {
namespace {

namespace fs = std::filesystem;

class LogReaderTest : public testing::Test {
 protected:
  LogReaderTest() {
    std::string pattern = testing::TempDir() + "/logs-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    config_.kernel_log = "off";
    config_.tags = {.node_id = "n1", .job_id = "j"};
    config_.logs = {{folder_ / "train.log", "trainer"}};
  }
  ~LogReaderTest() override {
    std::error_code error;
    fs::remove_all(folder_, error);
  }
  LogReader reader() const { return {config_, folder_ / "positions.json", clock_}; }
  void say(const std::string& line) const {
    std::ofstream(folder_ / "train.log", std::ios::app) << line << '\n';
  }

  fs::path folder_;
  AgentConfig config_;
  ManualClock clock_{5 * ns_per_s};
};

TEST_F(LogReaderTest, lines_become_records_with_source_tags_and_file) {
  auto logs = reader();
  EXPECT_TRUE(logs.poll().empty());
  say("step 1 caf\xC3");

  const auto records = logs.poll();

  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].body, "step 1 caf\xEF\xBF\xBD") << "invalid UTF-8 cannot be sent";
  EXPECT_EQ(records[0].source, "trainer");
  EXPECT_EQ(records[0].tags.node_id, "n1");
  EXPECT_EQ(records[0].tags.job_id, "j");
  EXPECT_EQ(records[0].timestamp_ns, 5 * ns_per_s);
  EXPECT_EQ(model::label(records[0].attributes, "log.file.path"), (folder_ / "train.log").string());
}

TEST_F(LogReaderTest, what_was_not_committed_is_read_again_after_a_restart) {
  {
    auto logs = reader();
    logs.poll();
    say("one");
    logs.poll();
    ASSERT_TRUE(logs.commit());
    say("two");
    EXPECT_EQ(logs.poll().size(), 1U);
  }
  say("three");

  const auto records = reader().poll();

  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].body, "two");
  EXPECT_EQ(records[1].body, "three");
}

TEST_F(LogReaderTest, damaged_positions_are_no_reason_not_to_start) {
  std::ofstream(folder_ / "positions.json") << "{\"files\": [";
  auto logs = reader();
  logs.poll();
  say("one");
  EXPECT_EQ(logs.poll().size(), 1U);
}

TEST_F(LogReaderTest, a_plain_file_can_stand_for_the_kernels_log) {
  config_.logs.clear();
  config_.kernel_log = (folder_ / "train.log").string();
  auto logs = reader();
  logs.poll();
  say("Out of memory: Killed process 1");

  const auto records = logs.poll();

  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].source, "kernel");
}

}  // namespace
}  // namespace auscult::agent
