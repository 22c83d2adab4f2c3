// auscult: the command line and, with `auscult serve`, the server.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "base/loop.h"
#include "cli/command.h"

namespace {

std::string environment_text(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  // Before any thread starts, or the signal would reach one that does not wait for it.
  if (auscult::cli::handles_stop_signals(arguments)) auscult::block_stop_signals();
  std::signal(SIGPIPE, SIG_IGN);  // a closed connection is an error of that write, not our end
  try {
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::string data = environment_text("AUSCULT_DATA_DIR");
    auscult::cli::Environment environment{
        .out = std::cout,
        .err = std::cerr,
        .clock = auscult::system_clock(),
        .program = error ? "auscult" : self.string(),
        .library = environment_text("AUSCULT_LIBCHDB"),
        .default_data = data.empty() ? "/var/lib/auscult" : data,
        .token = environment_text("AUSCULT_TOKEN"),
        .terminal = ::isatty(STDERR_FILENO) == 1,
        .store_password = environment_text("AUSCULT_STORE_PASSWORD")};
    return auscult::cli::run_command_line(arguments, environment);
  } catch (const std::exception& problem) {
    std::cerr << "auscult: " << problem.what() << '\n';
    return static_cast<int>(auscult::cli::Exit::failed);
  }
}
