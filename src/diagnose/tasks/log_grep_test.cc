#include <gtest/gtest.h>

#include "diagnose/testing.h"

namespace auscult::diagnose {
namespace {

using testing::at;

void add_line(store::Store& store, int64_t second, const std::string& text) {
  store::Batch batch;
  batch.logs.push_back({.timestamp_ns = testing::start_ns + second * ns_per_s,
                        .source = "kernel",
                        .body = text,
                        .trace_id = {},
                        .span_id = {},
                        .attributes = {{"log.file.path", "/var/log/kern.log"},
                                       {"log.file.line", std::to_string(second)}},
                        .tags = {.node_id = "node1"}});
  ASSERT_TRUE(store.write_and_wait(std::move(batch)));
}

TaskParameters parameters() {
  return {{"node", "node1"},
          {"start", at(60)},
          {"end", at(90)},
          {"source", "kernel"},
          {"pattern", "I/O error"}};
}

TEST(LogGrep, finds_the_line_and_says_where_it_stands) {
  store::MemoryStore store;
  add_line(store, 65, "eth0: link up");
  add_line(store, 70, "blk_update_request: I/O error, dev sda, sector 5");

  const auto finding = run_task("log_grep", parameters(), testing::context(store));

  ASSERT_TRUE(finding) << finding.error().message;
  EXPECT_EQ(finding->answer, Answer::found);
  EXPECT_EQ(finding->value, 1);
  EXPECT_EQ(finding->source.file, "/var/log/kern.log");
  EXPECT_EQ(finding->source.line, 70);
}

TEST(LogGrep, a_line_before_the_window_is_not_evidence) {
  store::MemoryStore store;
  add_line(store, 10, "blk_update_request: I/O error, dev sda, sector 5");
  EXPECT_EQ(run_task("log_grep", parameters(), testing::context(store))->answer, Answer::clear);
}

TEST(LogGrep, a_log_that_never_came_is_no_data_rather_than_clear) {
  store::MemoryStore store;
  EXPECT_EQ(run_task("log_grep", parameters(), testing::context(store))->answer, Answer::no_data);
}

TEST(LogGrep, a_broken_pattern_is_refused) {
  store::MemoryStore store;
  add_line(store, 70, "x");
  auto given = parameters();
  given["pattern"] = "(";
  EXPECT_FALSE(run_task("log_grep", given, testing::context(store)));
}

}  // namespace
}  // namespace auscult::diagnose
