#include "base/guard.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace auscult {
namespace {

std::string logged(const std::function<void()>& task) {
  testing::internal::CaptureStderr();
  run_guarded("api", task);
  return testing::internal::GetCapturedStderr();
}

TEST(Guard, what_is_thrown_is_logged_with_the_name_and_ends_there) {
  EXPECT_NE(logged([] { throw std::runtime_error("no memory"); }).find("error api: no memory"),
            std::string::npos);
  EXPECT_NE(logged([] { throw 5; }).find("error api: unknown exception"), std::string::npos);
}

TEST(Guard, a_task_that_ends_well_says_nothing) {
  bool ran = false;
  EXPECT_EQ(logged([&] { ran = true; }), "");
  EXPECT_TRUE(ran);
}

}  // namespace
}  // namespace auscult
