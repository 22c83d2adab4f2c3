// `auscult version`.
#include <ostream>

#include "bench/benchmark.h"
#include "cli/command.h"

namespace auscult::cli {
namespace {

Result<Exit> run(const std::vector<std::string>&, Environment& environment) {
  environment.out << "auscult " << AUSCULT_VERSION << " (" << bench::git_commit() << ")\n";
  return Exit::ok;
}

}  // namespace

Command version() { return {.summary = "what this program is", .run = run}; }

}  // namespace auscult::cli
