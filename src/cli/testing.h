// A command line with its output in strings: what the tests of this module share.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "store/test_folder.h"

namespace auscult::cli {

// Runs commands on a folder of their own.
class CommandTest : public testing::Test {
 protected:
  // The exit status; out_ and err_ hold what was printed.
  int run(const std::vector<std::string>& arguments) {
    out_.str("");
    err_.str("");
    return run_command_line(arguments, environment_);
  }

  // Runs, expects a usage error of one line, and returns it.
  std::string usage_error(const std::vector<std::string>& arguments) {
    EXPECT_EQ(run(arguments), 2) << err_.str();
    EXPECT_EQ(out_.str(), "");
    const auto line = err_.str();
    EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
    return line;
  }

  bool printed(const std::string& text) const { return out_.str().find(text) != std::string::npos; }
  std::string data() const { return (folder_.path() / "data").string(); }

  store::TestFolder folder_{
      testing::TempDir(),
      "cli_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name())};
  std::ostringstream out_;
  std::ostringstream err_;
  Environment environment_{.out = out_,
                           .err = err_,
                           .clock = system_clock(),
                           .program = "auscult",
                           .library = {},
                           .default_data = data(),
                           .token = {},
                           .terminal = false};
};

}  // namespace auscult::cli
