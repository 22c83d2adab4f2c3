#include "diagnose/task.h"

#include <gtest/gtest.h>

#include "diagnose/testing.h"

namespace auscult::diagnose {
namespace {

TEST(Task, an_unknown_task_is_refused_with_the_nearest_right_name) {
  store::MemoryStore store;
  const auto finding = run_task("log_gerp", {}, testing::context(store));
  ASSERT_FALSE(finding);
  EXPECT_NE(finding.error().message.find("did you mean 'log_grep'?"), std::string::npos)
      << finding.error().message;
}

TEST(Task, an_unknown_parameter_is_refused_rather_than_ignored) {
  store::MemoryStore store;
  const auto finding =
      run_task("memory_left", {{"incident", "i"}, {"action", "a"}, {"max_shore", "0.1"}},
               testing::context(store));
  ASSERT_FALSE(finding);
  EXPECT_NE(finding.error().message.find("did you mean 'max_share'?"), std::string::npos)
      << finding.error().message;
}

TEST(Task, a_missing_parameter_is_named_with_its_meaning) {
  store::MemoryStore store;
  const auto finding = run_task("memory_left", {{"incident", "i"}}, testing::context(store));
  ASSERT_FALSE(finding);
  EXPECT_NE(finding.error().message.find("'action' (id of the process_snapshot)"),
            std::string::npos)
      << finding.error().message;
}

TEST(Task, a_window_that_ends_before_it_begins_is_refused) {
  store::MemoryStore store;
  const auto finding = run_task(
      "log_grep",
      {{"node", "node1"}, {"start", testing::at(10)}, {"end", testing::at(5)}, {"words", "x"}},
      testing::context(store));
  EXPECT_FALSE(finding);
}

TEST(Task, every_task_says_what_each_parameter_means) {
  for (const auto& [name, task] : all_tasks()) {
    EXPECT_FALSE(task.summary.empty()) << name;
    for (const auto& parameter : task.parameters) {
      EXPECT_FALSE(parameter.meaning.empty()) << name << " " << parameter.name;
    }
  }
}

}  // namespace
}  // namespace auscult::diagnose
