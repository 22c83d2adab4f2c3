// `auscult version`.
#include <ostream>

#include "bench/benchmark.h"
#include "cli/command.h"
#include "cli/options.h"

namespace auscult::cli {
namespace {

Result<Exit> run(const std::vector<std::string>& arguments, Environment& environment) {
  Options options("version", "What this program is: its version and the commit it was built from.");
  if (!TRY(options.parse(arguments, environment.out))) return Exit::ok;
  environment.out << "auscult " << AUSCULT_VERSION << " (" << bench::git_commit() << ")\n";
  return Exit::ok;
}

}  // namespace

Command version() { return {.summary = "what this program is", .run = run}; }

}  // namespace auscult::cli
