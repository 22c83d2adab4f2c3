#include "base/log.h"

#include <gtest/gtest.h>

#include <regex>
#include <string>

namespace auscult {
namespace {

std::string logged(LogLevel level, std::string_view message) {
  testing::internal::CaptureStderr();
  log(level, message);
  return testing::internal::GetCapturedStderr();
}

TEST(Log, a_message_is_one_line_with_time_and_level) {
  const std::string line = logged(LogLevel::warning, "disk {} is slow");
  const std::regex form(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z warning disk \{\} is slow\n)");
  EXPECT_TRUE(std::regex_match(line, form)) << line;
}

TEST(Log, a_message_of_several_lines_cannot_look_like_several_messages) {
  const std::string line = logged(LogLevel::error, "a\nb\r\nc");
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_NE(line.find("a b  c"), std::string::npos);
}

TEST(Log, below_the_level_nothing_is_written) {
  EXPECT_EQ(logged(LogLevel::debug, "x"), "");
  set_log_level(LogLevel::error);
  EXPECT_EQ(logged(LogLevel::warning, "x"), "");
  EXPECT_NE(logged(LogLevel::error, "x"), "");
  set_log_level(LogLevel::debug);
  EXPECT_NE(logged(LogLevel::debug, "x"), "");
  set_log_level(LogLevel::info);
}

}  // namespace
}  // namespace auscult
