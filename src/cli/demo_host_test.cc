#include "cli/demo_host.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

namespace auscult::cli {
namespace {

namespace fs = std::filesystem;

class DemoHost : public testing::Test {
 protected:
  DemoHost() {
    std::string pattern = testing::TempDir() + "/demo_host-XXXXXX";
    root_ = ::mkdtemp(pattern.data());
    folder_ = root_ / "demo";
  }
  ~DemoHost() override {
    std::error_code error;
    fs::remove_all(root_, error);
  }
  std::string problem() const {
    const auto claimed = claim_folder(folder_);
    return claimed ? "" : claimed.error().message;
  }
  static bool says(const std::string& message, std::string_view words) {
    return message.find(words) != std::string::npos;
  }
  fs::path root_;
  fs::path folder_;
};

TEST_F(DemoHost, a_new_folder_is_for_its_user_alone) {
  folder_ = root_ / "a" / "demo";
  EXPECT_EQ(problem(), "");
  struct stat status {};
  ASSERT_EQ(::lstat(folder_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0700U);
  EXPECT_EQ(problem(), "") << "the next demo takes it again";
}

TEST_F(DemoHost, a_link_is_not_followed_with_or_without_a_slash) {
  fs::create_directory(root_ / "target");
  fs::create_directory_symlink(root_ / "target", folder_);
  EXPECT_TRUE(says(problem(), "is a symbolic link")) << problem();
  folder_ /= "";
  EXPECT_TRUE(says(problem(), "is a symbolic link")) << problem();
}

TEST_F(DemoHost, a_folder_that_another_user_made_is_refused) {
  if (::geteuid() != 0) GTEST_SKIP() << "giving a folder away needs root";
  fs::create_directory(folder_);
  ASSERT_EQ(::chown(folder_.c_str(), 65534, 65534), 0);
  EXPECT_TRUE(says(problem(), "belongs to another user, number 65534")) << problem();
}

TEST_F(DemoHost, a_folder_that_others_may_write_is_refused) {
  fs::create_directory(folder_);
  for (const mode_t mode : {0770, 0702, 01777}) {
    ::chmod(folder_.c_str(), mode);
    EXPECT_TRUE(says(problem(), "may be written by others")) << mode;
  }
  ::chmod(folder_.c_str(), 0755);
  EXPECT_EQ(problem(), "");
}

TEST_F(DemoHost, a_file_is_refused) {
  ASSERT_TRUE(write_file(folder_, "x"));
  EXPECT_TRUE(says(problem(), "is no folder")) << problem();
}

TEST_F(DemoHost, without_pressure_figures_the_illness_that_needs_them_is_refused_at_once) {
  ASSERT_TRUE(make_folder(root_ / "proc/pressure"));
  const auto refusal = [&](const std::string& fault) {
    const auto checked = check_demo_host(fault, root_, root_);
    return !checked && says(checked.error().message, "pressure stall information");
  };
  EXPECT_TRUE(refusal("disk"));
  EXPECT_TRUE(refusal("cpu"));
  EXPECT_TRUE(refusal("none"));
  EXPECT_FALSE(refusal("memory"));
  ASSERT_TRUE(write_file(root_ / "proc/pressure/io", "some avg10=0.00 total=0\n"));
  EXPECT_FALSE(refusal("disk"));
  EXPECT_TRUE(refusal("none"));
}

}  // namespace
}  // namespace auscult::cli
