#include "store/data_lock.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <optional>

#include "store/test_folder.h"

namespace auscult::store {
namespace {

TEST(DataLock, the_second_is_told_who_is_first_and_gets_it_afterwards) {
  const TestFolder folder(testing::TempDir(), "lock");
  {
    const auto first = DataLock::lock(folder.path() / "new/data");
    ASSERT_TRUE(first) << first.error().message;
    const auto second = DataLock::lock(folder.path() / "new/data");
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::unavailable);
    EXPECT_NE(second.error().message.find("(pid " + std::to_string(::getpid()) + ")"),
              std::string::npos)
        << second.error().message;
  }
  EXPECT_TRUE(DataLock::lock(folder.path() / "new/data"));
}

TEST(DataLock, a_folder_that_cannot_be_used_is_named) {
  const TestFolder folder(testing::TempDir(), "lock");
  std::ofstream(folder.path() / "file") << "x";
  for (const std::filesystem::path& path : {folder.path() / "file", folder.path() / "file/data",
                                            std::filesystem::path("/proc/auscult")}) {
    const auto lock = DataLock::lock(path);
    ASSERT_FALSE(lock) << path;
    EXPECT_NE(lock.error().message.find("--data"), std::string::npos) << lock.error().message;
  }
}

}  // namespace
}  // namespace auscult::store
