#include "store/library_checksum.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/file.h"
#include "store/test_folder.h"

namespace auscult::store {
namespace {

// FIPS 180-2, appendix C.1: SHA-512 of "abc".
constexpr LibraryChecksum abc = {
    .size_bytes = 3,
    .sha512 =
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"};

class LibraryChecksumTest : public testing::Test {
 protected:
  void write(const std::string& content) { std::ofstream(path_) << content; }

  TestFolder folder_{testing::TempDir(), "checksum"};
  std::filesystem::path path_ = folder_.path() / "lib.so";
};

TEST_F(LibraryChecksumTest, the_pinned_file_is_verified_once_and_remembered) {
  write("abc");
  ASSERT_TRUE(verify_library(path_, abc));
  ASSERT_TRUE(std::filesystem::exists(path_.string() + ".verified"));
  // A content that changes without a trace in size, time and inode shows that it is not read again.
  const auto time = std::filesystem::last_write_time(path_);
  write("abd");
  std::filesystem::last_write_time(path_, time);
  EXPECT_TRUE(verify_library(path_, abc));
}

TEST_F(LibraryChecksumTest, a_file_that_changed_is_read_again_and_refused) {
  write("abc");
  ASSERT_TRUE(verify_library(path_, abc));
  write("abd");
  const auto time = std::filesystem::last_write_time(path_);
  std::filesystem::last_write_time(path_, time + std::chrono::seconds(2));
  const auto verified = verify_library(path_, abc);
  ASSERT_FALSE(verified);
  EXPECT_NE(verified.error().message.find("sha512 differs"), std::string::npos);
  EXPECT_NE(verified.error().message.find("tools/fetch-libchdb"), std::string::npos);
}

TEST_F(LibraryChecksumTest, another_size_is_refused_without_reading) {
  write("abcd");
  const auto verified = verify_library(path_, abc);
  ASSERT_FALSE(verified);
  EXPECT_NE(verified.error().message.find("4 bytes, not 3"), std::string::npos)
      << verified.error().message;
}

TEST_F(LibraryChecksumTest, a_missing_library_names_the_command_that_fetches_it) {
  for (const std::filesystem::path& path : {path_, std::filesystem::path()}) {
    const auto verified = verify_library(path, abc);
    ASSERT_FALSE(verified);
    EXPECT_EQ(verified.error().code, ErrorCode::not_found);
    EXPECT_NE(verified.error().message.find("make libchdb"), std::string::npos);
    EXPECT_EQ(verified.error().message.find('\n'), std::string::npos);
  }
}

TEST_F(LibraryChecksumTest, a_processor_without_a_known_checksum_is_told_so) {
  write("abc");
  const auto verified = verify_library(path_, {});
  ASSERT_FALSE(verified);
  EXPECT_NE(verified.error().message.find("no checksum"), std::string::npos);
}

TEST_F(LibraryChecksumTest, works_where_the_stamp_cannot_be_written) {
  write("abc");
  std::filesystem::create_directory(path_.string() + ".verified");
  EXPECT_TRUE(verify_library(path_, abc));
  write("abd");
  EXPECT_FALSE(verify_library(path_, abc));
}

}  // namespace
}  // namespace auscult::store
