#include "logs/grep.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace auscult::logs {
namespace {

// Lines of one log, a second apart.
model::LogRecords log(const std::string& node, const std::string& source,
                      const std::vector<std::string>& lines) {
  model::LogRecords records;
  for (size_t i = 0; i < lines.size(); ++i) {
    records.push_back({.timestamp_ns = static_cast<int64_t>(i) * 1'000'000'000,
                       .source = source,
                       .body = lines[i],
                       .tags = {.node_id = node}});
  }
  return records;
}

// "a >b< c": the lines of a hunk, matching ones marked.
std::string text(const GrepHunk& hunk, const model::LogRecords& records) {
  std::string all;
  for (const auto& line : hunk.lines) {
    const auto& body = records[line.index].body;
    all += (all.empty() ? "" : " ") + (line.matched ? ">" + body + "<" : body);
  }
  return all;
}

TEST(LogGrep, gives_five_lines_before_and_five_after) {
  const auto records =
      log("n1", "kernel",
          {"0", "1", "2", "3", "4", "5", "6", "oom", "8", "9", "10", "11", "12", "13", "14"});

  const auto result = log_grep(records, {.words = {"OOM"}});

  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->hunks.size(), 1U);
  EXPECT_EQ(text(result->hunks[0], records), "2 3 4 5 6 >oom< 8 9 10 11 12");
  EXPECT_EQ(result->hunks[0].node_id, "n1");
  EXPECT_EQ(result->hunks[0].source, "kernel");
  EXPECT_EQ(result->matches, 1U);
}

TEST(LogGrep, contexts_that_touch_are_one_hunk_and_no_line_is_shown_twice) {
  const auto records = log("n", "s", {"x", "a", "b", "x", "c", "d", "e", "x"});

  const auto result = log_grep(records, {.words = {"x"}, .before = 1, .after = 1});

  ASSERT_TRUE(result);
  ASSERT_EQ(result->hunks.size(), 2U);
  EXPECT_EQ(text(result->hunks[0], records), ">x< a b >x< c");
  EXPECT_EQ(text(result->hunks[1], records), "e >x<");
}

TEST(LogGrep, context_comes_from_the_same_node_and_source_only) {
  auto records = log("n1", "kernel", {"a", "hit", "b"});
  for (const auto& each : {log("n2", "kernel", {"c", "d"}), log("n1", "nccl", {"e", "hit"})}) {
    records.insert(records.end(), each.begin(), each.end());
  }

  const auto result = log_grep(records, {.words = {"hit"}});

  ASSERT_TRUE(result);
  ASSERT_EQ(result->hunks.size(), 2U);
  EXPECT_EQ(text(result->hunks[0], records), "a >hit< b");
  EXPECT_EQ(text(result->hunks[1], records), "e >hit<");
}

TEST(LogGrep, records_out_of_order_are_put_in_order) {
  auto records = log("n", "s", {"1", "2", "hit", "4"});
  std::swap(records[0], records[3]);

  const auto result = log_grep(records, {.words = {"hit"}});

  ASSERT_TRUE(result);
  EXPECT_EQ(text(result->hunks[0], records), "1 2 >hit< 4");
}

TEST(LogGrep, the_window_holds_the_match_and_not_its_context) {
  const auto records = log("n", "s", {"hit 0", "a", "hit 2", "b", "hit 4"});

  const auto result = log_grep(records, {.words = {"hit"},
                                         .before = 1,
                                         .after = 1,
                                         .begin_ns = 2'000'000'000,
                                         .end_ns = 4'000'000'000});

  ASSERT_TRUE(result);
  ASSERT_EQ(result->hunks.size(), 1U);
  EXPECT_EQ(text(result->hunks[0], records), "a >hit 2< b");
}

TEST(LogGrep, words_are_plain_text_and_patterns_are_not) {
  const auto records = log("n", "s", {"a.b", "axb", "Xid 79"});

  EXPECT_EQ(log_grep(records, {.words = {"a.b"}})->matches, 1U);
  EXPECT_EQ(log_grep(records, {.pattern = "a.b"})->matches, 2U);
  EXPECT_EQ(log_grep(records, {.words = {"a.b"}, .pattern = R"(xid \d+)"})->matches, 2U);
  EXPECT_EQ(log_grep(records, {.pattern = "xid", .ignore_case = false})->matches, 0U);
}

TEST(LogGrep, matches_beyond_the_bound_are_counted_and_not_shown) {
  const auto records = log("n", "s", std::vector<std::string>(50, "hit"));

  const auto result =
      log_grep(records, {.words = {"hit"}, .before = 0, .after = 0, .max_matches = 3});

  ASSERT_TRUE(result);
  EXPECT_EQ(result->matches, 50U);
  EXPECT_TRUE(result->truncated);
  ASSERT_EQ(result->hunks.size(), 1U);
  EXPECT_EQ(result->hunks[0].lines.size(), 3U);
}

TEST(LogGrep, a_broken_pattern_or_none_is_an_error) {
  EXPECT_FALSE(log_grep({}, {.pattern = "(unclosed"}));
  EXPECT_FALSE(log_grep({}, {}));
  EXPECT_FALSE(log_grep({}, {.words = {""}}));
}

TEST(ReadLogFile, lines_have_their_number_and_the_last_time_seen) {
  std::string name = testing::TempDir() + "/grep-XXXXXX";
  const int fd = ::mkstemp(name.data());
  ::close(fd);
  std::ofstream(name) << "no time\n"
                         "2026-12-01T09:30:00.5Z started\n"
                         "  continued\r\n"
                         "2026-12-01 09:30:02,250 [INFO] next\n";

  const auto records = read_log_file(name, "n1", "trainer");

  std::filesystem::remove(name);
  ASSERT_TRUE(records) << records.error().message;
  ASSERT_EQ(records->size(), 4U);
  EXPECT_EQ((*records)[0].timestamp_ns, 0);
  EXPECT_EQ((*records)[1].timestamp_ns, 1796117400'500'000'000);
  EXPECT_EQ((*records)[2].timestamp_ns, (*records)[1].timestamp_ns);
  EXPECT_EQ((*records)[2].body, "  continued");
  EXPECT_EQ((*records)[3].timestamp_ns, 1796117402'250'000'000);
  EXPECT_EQ(model::label((*records)[3].attributes, "log.file.line"), "4");
  EXPECT_EQ((*records)[3].tags.node_id, "n1");
}

TEST(ReadLogFile, a_missing_file_is_named) {
  const auto records = read_log_file("/nonexistent.log", "n", "s");
  ASSERT_FALSE(records);
  EXPECT_EQ(records.error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace auscult::logs
