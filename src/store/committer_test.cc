#include "store/committer.h"

#include <gtest/gtest.h>

#include "store/fake_engine.h"
#include "store/series_catalog.h"

namespace auscult::store {
namespace {

Group group_of(size_t n_logs) {
  Batch batch{.id = "a"};
  for (size_t i = 0; i < n_logs; ++i) batch.logs.push_back({.timestamp_ns = 1});
  batch.samples.push_back({.metric = "m", .timestamp_ns = 1});
  SeriesCatalog catalog({}, system_clock());
  EXPECT_TRUE(make_points(batch, catalog));
  return build_group({&batch}, 77);
}

TEST(Committer, ids_of_batches_come_last) {
  FakeEngine engine;
  ASSERT_TRUE(commit_first(engine, group_of(3)));
  EXPECT_EQ(engine.inserts(),
            (std::vector<std::string>{"series", "samples", "logs", "ingest_batches"}));
}

TEST(Committer, a_second_attempt_after_a_complete_one_adds_nothing) {
  FakeEngine engine;
  ASSERT_TRUE(commit_first(engine, group_of(3)));
  ASSERT_TRUE(commit_again(engine, group_of(3), "x"));
  EXPECT_EQ(engine.rows("logs"), 3U);
  EXPECT_TRUE(engine.executed().empty());
}

TEST(Committer, a_token_without_rows_is_seen_and_the_rows_are_stored) {
  FakeEngine engine;
  engine.note_token("77-logs");
  ASSERT_TRUE(commit_again(engine, group_of(3), "x"));
  EXPECT_EQ(engine.rows("logs"), 3U);
}

TEST(Committer, a_part_of_the_rows_is_replaced_by_all) {
  FakeEngine engine;
  engine.note_token("77-logs");
  engine.put_rows("logs", 77, 2);
  ASSERT_TRUE(commit_again(engine, group_of(3), "x"));
  EXPECT_EQ(engine.rows("logs"), 3U);
  EXPECT_EQ(engine.executed().size(), 1U);
}

TEST(Committer, rows_that_still_miss_are_an_error) {
  FakeEngine engine;
  engine.note_token("77-logs");
  engine.note_token("77-logs-x");
  const auto done = commit_again(engine, group_of(3), "x");
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("0 of 3"), std::string::npos) << done.error().message;
}

}  // namespace
}  // namespace auscult::store
