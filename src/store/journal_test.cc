#include "store/journal.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/file.h"
#include "store/test_folder.h"

namespace auscult::store {
namespace {

Group some_group(uint64_t stamp_ms) {
  return {
      .stamp_ms = stamp_ms,
      .batch_ids = {"a", std::string("b\0c", 3)},
      .blocks = {{.table = "logs", .columns = "x, y", .data = std::string(1000, '\7'), .rows = 5},
                 {.table = "ingest_batches", .columns = "id", .data = "\1a", .rows = 1}},
      .rows = 5};
}

TEST(Journal, a_group_reads_back_equal) {
  const auto group = decode_group(encode_group(some_group(42)));
  ASSERT_TRUE(group) << group.error().message;
  EXPECT_EQ(group->stamp_ms, 42U);
  EXPECT_EQ(group->rows, 5U);
  EXPECT_EQ(group->batch_ids, some_group(42).batch_ids);
  ASSERT_EQ(group->blocks.size(), 2U);
  EXPECT_EQ(group->blocks[0].table, "logs");
  EXPECT_EQ(group->blocks[0].columns, "x, y");
  EXPECT_EQ(group->blocks[0].data, std::string(1000, '\7'));
  EXPECT_EQ(group->blocks[1].rows, 1U);
}

TEST(Journal, any_missing_or_changed_byte_is_seen) {
  const std::string whole = encode_group(some_group(42));
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
