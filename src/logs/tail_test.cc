#include "logs/tail.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace auscult::logs {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;
using std::chrono::seconds;

class TailTest : public testing::Test {
 protected:
  TailTest() {
    std::string pattern = testing::TempDir() + "/tail-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    path_ = folder_ / "app.log";
  }
  ~TailTest() override {
    std::error_code error;
    fs::remove_all(folder_, error);
  }
  void append(const std::string& text) const { std::ofstream(path_, std::ios::app) << text; }
  void overwrite(const std::string& text) const { std::ofstream(path_, std::ios::trunc) << text; }
  void rotate() const { fs::rename(path_, folder_ / "app.log.1"); }

  fs::path folder_;
  fs::path path_;
};

TEST_F(TailTest, gives_only_what_is_written_after_it_began_at_the_end) {
  append("old\n");
  Tail tail(path_, Tail::Start::end);
  EXPECT_EQ(tail.poll(seconds(0)), Lines{});
  append("one\r\ntwo\n\n");
  EXPECT_EQ(tail.poll(seconds(0)), (Lines{"one", "two", ""}));
  EXPECT_EQ(tail.poll(seconds(0)), Lines{});
}

TEST_F(TailTest, a_file_that_appears_later_is_read_from_its_beginning) {
  Tail tail(path_, Tail::Start::end);
  EXPECT_EQ(tail.poll(seconds(0)), Lines{});
  append("first\n");
  EXPECT_EQ(tail.poll(seconds(0)), Lines{"first"});
}

TEST_F(TailTest, rotation_by_rename_loses_no_line_of_either_file) {
  append("a\n");
  Tail tail(path_, Tail::Start::beginning);
  EXPECT_EQ(tail.poll(seconds(0)), Lines{"a"});
  append("b\n");
  rotate();
  EXPECT_EQ(tail.poll(seconds(0)), Lines{"b"}) << "renamed, and no new file yet";
  std::ofstream(folder_ / "app.log.1", std::ios::app) << "c\nno newline";
  append("d\n");
  EXPECT_EQ(tail.poll(seconds(0)), (Lines{"c", "no newline", "d"}));
}

TEST_F(TailTest, copytruncate_is_noticed_when_the_file_got_shorter) {
  append("long line before the cut\n");
  Tail tail(path_, Tail::Start::beginning);
  tail.poll(seconds(0));
  overwrite("new\n");
  EXPECT_EQ(tail.poll(seconds(0)), Lines{"new"});
}

TEST_F(TailTest, copytruncate_is_noticed_when_the_file_grew_beyond_what_we_read) {
  append("short\n");
  Tail tail(path_, Tail::Start::beginning);
  tail.poll(seconds(0));
  overwrite("something else that is longer\n");
  EXPECT_EQ(tail.poll(seconds(0)), Lines{"something else that is longer"});
}

TEST_F(TailTest, a_partial_last_line_waits_a_second_for_its_newline) {
  append("begin");
  Tail tail(path_, Tail::Start::beginning);
  EXPECT_EQ(tail.poll(seconds(10)), Lines{});
  append(" and end\n");
  EXPECT_EQ(tail.poll(seconds(10)), Lines{"begin and end"});
  append("progress 50%");
  EXPECT_EQ(tail.poll(seconds(20)), Lines{});
  EXPECT_EQ(tail.poll(seconds(21)), Lines{"progress 50%"});
}

TEST_F(TailTest, a_line_longer_than_the_bound_comes_in_pieces) {
  Tail tail(path_, Tail::Start::beginning, {.max_line_bytes = 4});
  append("abcdefghij\nxy\n");
  EXPECT_EQ(tail.poll(seconds(0)), (Lines{"abcd", "efgh", "ij", "xy"}));
  append("wxyz\n1\n");
  EXPECT_EQ(tail.poll(seconds(0)), (Lines{"wxyz", "1"})) << "exactly the bound: no empty rest";
}

TEST_F(TailTest, one_poll_reads_a_bounded_amount_and_the_next_goes_on) {
  Tail tail(path_, Tail::Start::beginning, {.max_poll_bytes = 6});
  append("aaa\nbbb\nccc\n");
  EXPECT_EQ(tail.poll(seconds(0)), Lines{"aaa"});
  EXPECT_EQ(tail.poll(seconds(0)), (Lines{"bbb", "ccc"}));
}

TEST_F(TailTest, a_restarted_reader_continues_after_the_last_line_given_out) {
  append("one\ntwo\npart");
  Tail before(path_, Tail::Start::beginning);
  EXPECT_EQ(before.poll(seconds(0)), (Lines{"one", "two"}));
  append("ial\nthree\n");

  Tail after(path_, Tail::Start::end);
  after.resume(tail_position_from_json(to_json(before.position())));

  EXPECT_EQ(after.poll(seconds(0)), (Lines{"partial", "three"}));
}

TEST_F(TailTest, a_restarted_reader_finds_the_file_that_was_rotated_meanwhile) {
  append("one\n");
  Tail before(path_, Tail::Start::beginning);
  before.poll(seconds(0));
  append("two\n");
  rotate();
  append("three\n");

  Tail after(path_, Tail::Start::end);
  after.resume(before.position());

  EXPECT_EQ(after.poll(seconds(0)), (Lines{"two", "three"}));
}

TEST_F(TailTest, a_restarted_reader_takes_a_new_file_whole_when_the_old_one_is_gone) {
  append("one\n");
  Tail before(path_, Tail::Start::beginning);
  before.poll(seconds(0));
  fs::rename(path_, folder_ / "other");  // keeps the inode in use, under a name that says nothing
  append("new\n");

  Tail after(path_, Tail::Start::end);
  after.resume(before.position());

  EXPECT_EQ(after.poll(seconds(0)), Lines{"new"});
}

TEST_F(TailTest, a_restarted_reader_that_had_no_file_reads_the_new_one_whole) {
  Tail before(path_, Tail::Start::end);
  before.poll(seconds(0));
  append("new\n");

  Tail after(path_, Tail::Start::end);
  after.resume(before.position());

  EXPECT_EQ(after.poll(seconds(0)), Lines{"new"});
}

TEST_F(TailTest, a_folder_or_a_fifo_in_the_place_of_the_file_gives_nothing) {
  fs::create_directory(path_);
  Tail tail(path_, Tail::Start::beginning);
  EXPECT_EQ(tail.poll(seconds(0)), Lines{});
}

}  // namespace
}  // namespace auscult::logs
