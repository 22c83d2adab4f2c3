#include "actions/executor.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bench/host_tree.h"

namespace auscult::actions {
namespace {

ActionRequest snapshot(Json params) {
  return {.id = "a1",
          .action_class = "snapshot",
          .action = "process_snapshot",
          .target = "n1",
          .params = std::move(params)};
}

ExecutorContext context_of(const std::filesystem::path& root, const Clock& clock) {
  return {.root = root, .clock = &clock};
}

TEST(Execute, a_result_carries_id_status_and_times) {
  const auto result =
      execute(snapshot(Json(Json::Object{{"seconds", 0.1}})), context_of("/", system_clock()));
  EXPECT_EQ(result.status, "done") << result.message;
  EXPECT_EQ(result.id, "a1");
  EXPECT_GT(result.finished_at_ns, result.started_at_ns);
  EXPECT_TRUE(result.result.is_object());
}

TEST(Execute, wrong_parameters_are_refused_with_words) {
  const auto result =
      execute(snapshot(Json(Json::Object{{"seconds", -1}})), context_of("/", system_clock()));
  EXPECT_EQ(result.status, "refused");
  EXPECT_NE(result.message.find("'seconds'"), std::string::npos);
  EXPECT_TRUE(result.result.is_null());
}

TEST(Execute, checks_once_more_what_the_gate_checked) {
  auto unknown = snapshot(Json(Json::Object{}));
  unknown.action = "shell";
  EXPECT_EQ(execute(unknown, context_of("/", system_clock())).status, "refused");
  auto disguised = snapshot(Json(Json::Object{}));
  disguised.action_class = "benchmark";
  EXPECT_EQ(execute(disguised, context_of("/", system_clock())).status, "refused");
  EXPECT_EQ(execute(snapshot(Json(Json::Object{{"shell", "ls"}})), context_of("/", system_clock()))
                .status,
            "refused");
}

TEST(Execute, what_could_not_be_observed_is_failed) {
  const bench::HostTree empty(testing::TempDir());
  const auto result = execute(snapshot(Json(Json::Object{{"seconds", 0.1}})),
                              context_of(empty.root(), system_clock()));
  EXPECT_EQ(result.status, "failed");
  EXPECT_NE(result.message, "");
}

// Every look at this clock is an hour after the one before.
class RacingClock : public ManualClock {
 public:
  std::chrono::nanoseconds monotonic() const override { return hours_ += std::chrono::hours(1); }

 private:
  mutable std::chrono::nanoseconds hours_{};
};

TEST(Execute, what_took_longer_than_its_limit_is_timed_out) {
  const RacingClock clock;
  const auto result =
      execute(snapshot(Json(Json::Object{{"seconds", 0.1}})), context_of("/", clock));
  EXPECT_EQ(result.status, "timed_out");
  EXPECT_NE(result.message.find("60 s allowed"), std::string::npos) << result.message;
}

TEST(AllExecutors, have_a_class_and_a_summary) {
  const auto table = all_executors();
  EXPECT_EQ(table.size(), 2U);
  for (const auto& [name, executor] : table) {
    EXPECT_FALSE(executor.action_class.empty()) << name;
    EXPECT_FALSE(executor.summary.empty()) << name;
    EXPECT_NE(executor.run, nullptr) << name;
  }
}

}  // namespace
}  // namespace auscult::actions
