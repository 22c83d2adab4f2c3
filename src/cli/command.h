// Command: one word of the command line. It returns, it does not exit; it prints to what it was
// given.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/named.h"
#include "base/result.h"

namespace auscult::cli {

// 0 done; 1 the finding is bad; 2 usage or configuration; 3 the work could not be done.
enum class Exit : int { ok = 0, bad_finding = 1, usage = 2, failed = 3 };

struct Environment {
  std::ostream& out;
  std::ostream& err;
  const Clock& clock;
  std::string program;              // path of this executable
  std::string library;              // libchdb.so from AUSCULT_LIBCHDB, or empty
  std::string default_data;         // where the store lies when --data is not given
  std::string token;                // for a server, from AUSCULT_TOKEN, or empty
  bool terminal = false;            // err is a terminal: show progress
  std::string store_password = {};  // AUSCULT_STORE_PASSWORD, or empty
};

struct Command {
  std::string_view summary;
  // Waits for SIGINT and SIGTERM itself, to clean up; the others simply end.
  bool handles_stop_signals = false;
  // Errors: invalid_input exits with 2, everything else with 3.
  Result<Exit> (*run)(const std::vector<std::string>& arguments,
                      Environment& environment) = nullptr;
};

std::vector<Named<Command>> all_commands();

// Whether the command that the arguments name handles stop signals itself.
bool handles_stop_signals(const std::vector<std::string>& arguments);

// What main() does after it built the environment: looks the command up, runs it, prints errors.
int run_command_line(const std::vector<std::string>& arguments, Environment& environment);

}  // namespace auscult::cli
