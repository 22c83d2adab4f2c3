#include "base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

namespace auscult {
namespace {

namespace fs = std::filesystem;

class File : public testing::Test {
 protected:
  File()
      : folder_(fs::path(testing::TempDir()) / ("auscult_file_test." + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~File() override { fs::remove_all(folder_); }

  fs::path folder_;
};

unsigned mode_of(const fs::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 0777U;
}

TEST_F(File, what_is_written_is_read_back_and_nothing_else_is_left) {
  const std::string content("a\0b\n\xff", 5);
  ASSERT_TRUE(write_file(folder_ / "x", "old and longer"));
  ASSERT_TRUE(write_file(folder_ / "x", content, true));

  EXPECT_EQ(*read_file(folder_ / "x"), content);
  EXPECT_EQ(list_folder(folder_), std::vector<std::string>{"x"});
}

TEST_F(File, a_secret_is_never_readable_by_others) {
  ASSERT_TRUE(write_file(folder_ / "secret", "x", false, 0600));
  EXPECT_EQ(mode_of(folder_ / "secret"), 0600U);
}

TEST_F(File, a_write_that_fails_leaves_the_file_as_it_was) {
  ASSERT_TRUE(write_file(folder_ / "x", "old"));
  // A folder in the way of the rename.
  fs::create_directories(folder_ / "folder" / "inside");

  EXPECT_FALSE(write_file(folder_ / "folder", "new"));
  const auto missing = write_file(folder_ / "absent" / "x", "new");

  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
  EXPECT_NE(missing.error().message.find((folder_ / "absent" / "x").string()), std::string::npos);
  EXPECT_EQ(list_folder(folder_), (std::vector<std::string>{"folder", "x"}));
}

TEST_F(File, a_full_disk_is_said_to_be_full) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const FileDescriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(full);
  ASSERT_LT(::write(full.get(), "x", 1), 0);
  const Error error = errno_error("writing", "/dev/full");
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_EQ(error.message, "writing /dev/full: No space left on device");
}

TEST_F(File, threads_that_write_one_file_never_mix) {
  {
    std::vector<std::jthread> threads;
    for (const char letter : {'a', 'b', 'c', 'd'}) {
      threads.emplace_back([&, letter] {
        for (int i = 0; i < 50; ++i) {
          EXPECT_TRUE(write_file(folder_ / "x", std::string(10'000, letter)));
        }
      });
    }
  }
  const auto content = read_file(folder_ / "x");
  ASSERT_TRUE(content);
  EXPECT_EQ(*content, std::string(10'000, content->front()));
  EXPECT_EQ(list_folder(folder_).size(), 1U);
}

TEST_F(File, proc_files_that_say_they_are_empty_are_read) {
  const auto status = read_file("/proc/self/status");
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_NE(status->find("\nPid:"), std::string::npos);
}

TEST_F(File, a_file_longer_than_the_limit_is_refused) {
  ASSERT_TRUE(write_file(folder_ / "x", std::string(100'000, 'x')));

  EXPECT_EQ(read_file(folder_ / "x", 100'000)->size(), 100'000U);
  const auto longer = read_file(folder_ / "x", 99'999);
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().code, ErrorCode::invalid_input);
  EXPECT_NE(longer.error().message.find("longer than 99999 bytes"), std::string::npos);
  EXPECT_FALSE(read_file("/dev/zero", 1'000'000));
}

TEST_F(File, what_is_not_there_is_not_found_and_a_folder_is_no_file) {
  EXPECT_EQ(read_file(folder_ / "absent").error().code, ErrorCode::not_found);
  EXPECT_EQ(read_file(folder_ / "absent").error().message,
            "reading " + (folder_ / "absent").string() + ": No such file or directory");
  EXPECT_EQ(read_file(folder_).error().code, ErrorCode::invalid_input);
}

TEST_F(File, a_listing_is_sorted_and_empty_where_there_is_no_folder) {
  for (const char* name : {"b", "a", "c"}) std::ofstream(folder_ / name) << name;
  EXPECT_EQ(list_folder(folder_), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(list_folder(folder_ / "absent").empty());
  EXPECT_TRUE(list_folder(folder_ / "a").empty());
}

TEST_F(File, a_folder_is_made_with_its_parents_and_its_mode) {
  ASSERT_TRUE(make_folder(folder_ / "p" / "q" / "r", 0700));
  ASSERT_TRUE(make_folder(folder_ / "p" / "s/", 0700));
  EXPECT_EQ(mode_of(folder_ / "p" / "q" / "r"), 0700U);
  EXPECT_EQ(mode_of(folder_ / "p" / "s"), 0700U);
  EXPECT_TRUE(make_folder(folder_ / "p" / "q" / "r"));
}

TEST_F(File, a_folder_cannot_be_made_where_a_file_is) {
  std::ofstream(folder_ / "x") << "x";
  EXPECT_FALSE(make_folder(folder_ / "x"));
  EXPECT_FALSE(make_folder(folder_ / "x" / "y"));
  EXPECT_FALSE(make_folder("/proc/auscult"));
}

TEST_F(File, a_descriptor_closes_itself_once) {
  int number = -1;
  {
    FileDescriptor first(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    ASSERT_TRUE(first);
    number = first.get();
    FileDescriptor second = std::move(first);
    EXPECT_EQ(second.get(), number);
    EXPECT_GE(::fcntl(number, F_GETFD), 0);
  }
  EXPECT_LT(::fcntl(number, F_GETFD), 0);
}

}  // namespace
}  // namespace auscult
