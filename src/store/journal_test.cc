#include "store/journal.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/file.h"
#include "base/hash.h"
#include "store/row_binary.h"
#include "store/test_folder.h"

namespace auscult::store {
namespace {

Group some_group(uint64_t stamp_ms) {
  return {
      .stamp_ms = stamp_ms,
      .batch_ids = {"a", std::string("b\0c", 3)},
      .blocks = {{.table = "logs", .columns = "x, y", .data = std::string(1000, '\7'), .rows = 5},
                 {.table = "ingest_batches",
                  .columns = "id",
                  .data = "\1a",
                  .rows = 1,
                  .format = "Native"}},
      .rows = 5};
}

// The journal's file of some_group(42).
std::string file_of_group() {
  const TestFolder folder(testing::TempDir(), "journal");
  EXPECT_TRUE(Journal(folder.path()).write(some_group(42)));
  const auto content = read_file(folder.path() / "42.bin");
  EXPECT_TRUE(content);
  return content ? *content : std::string();
}

TEST(Journal, a_group_reads_back_equal) {
  const auto group = decode_group(file_of_group());
  ASSERT_TRUE(group) << group.error().message;
  EXPECT_EQ(group->stamp_ms, 42U);
  EXPECT_EQ(group->rows, 5U);
  EXPECT_EQ(group->batch_ids, some_group(42).batch_ids);
  ASSERT_EQ(group->blocks.size(), 2U);
  EXPECT_EQ(group->blocks[0].table, "logs");
  EXPECT_EQ(group->blocks[0].columns, "x, y");
  EXPECT_EQ(group->blocks[0].data, std::string(1000, '\7'));
  EXPECT_EQ(group->blocks[0].format, "RowBinary");
  EXPECT_EQ(group->blocks[1].rows, 1U);
  EXPECT_EQ(group->blocks[1].data, "\1a");
  EXPECT_EQ(group->blocks[1].format, "Native");
}

TEST(Journal, one_of_the_version_before_is_read) {
  std::string payload;
  for (const uint64_t number : {7U, 1U, 0U, 1U}) put_number(payload, uint64_t{number});
  for (const std::string_view text : {"logs", "x"}) {
    put_number(payload, uint64_t{text.size()});
    payload += text;
  }
  put_number(payload, uint64_t{1});
  put_number(payload, uint64_t{2});
  payload += "ab";
  std::string file = "auscult journal 1\n";
  put_number(file, hash64(payload));

  const auto group = decode_group(file + payload);

  ASSERT_TRUE(group) << group.error().message;
  EXPECT_EQ(group->stamp_ms, 7U);
  ASSERT_EQ(group->blocks.size(), 1U);
  EXPECT_EQ(group->blocks[0].data, "ab");
  EXPECT_EQ(group->blocks[0].format, "RowBinary");
}

TEST(Journal, any_missing_or_changed_byte_is_seen) {
  const std::string whole = file_of_group();
  for (size_t length = 0; length < whole.size(); ++length) {
    ASSERT_FALSE(decode_group(whole.substr(0, length))) << "cut to " << length;
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    ASSERT_FALSE(decode_group(changed)) << "byte " << i;
  }
}

TEST(Journal, keeps_groups_until_they_are_removed_oldest_first) {
  const TestFolder folder(testing::TempDir(), "journal");
  Journal journal(folder.path() / "j");
  ASSERT_TRUE(journal.load()->empty());
  ASSERT_TRUE(journal.write(some_group(100)));
  ASSERT_TRUE(journal.write(some_group(9)));
  const auto groups = journal.load();
  ASSERT_EQ(groups->size(), 2U);
  EXPECT_EQ(groups->front().stamp_ms, 9U);
  ASSERT_TRUE(journal.remove(some_group(9)));
  EXPECT_EQ(journal.load()->size(), 1U);
}

TEST(Journal, drops_what_was_cut_off) {
  const TestFolder folder(testing::TempDir(), "journal");
  Journal journal(folder.path());
  ASSERT_TRUE(journal.write(some_group(1)));
  std::filesystem::resize_file(folder.path() / "1.bin", 100);
  std::ofstream(folder.path() / "2.bin.tmp77") << "part";
  const auto groups = journal.load();
  ASSERT_TRUE(groups) << groups.error().message;
  EXPECT_TRUE(groups->empty());
  EXPECT_TRUE(list_folder(folder.path()).empty());
}

TEST(Journal, a_rejected_group_is_kept_and_not_loaded) {
  const TestFolder folder(testing::TempDir(), "journal");
  Journal journal(folder.path());
  ASSERT_TRUE(journal.write(some_group(1)));
  const auto path = journal.reject(some_group(1));
  ASSERT_TRUE(path) << path.error().message;
  EXPECT_TRUE(std::filesystem::exists(*path));
  EXPECT_TRUE(journal.load()->empty());
  EXPECT_TRUE(std::filesystem::exists(*path));
}

}  // namespace
}  // namespace auscult::store
