// `auscult logs grep PATTERN FILE...`: matching lines with their neighbours.
#include <ostream>

#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "logs/grep.h"

namespace auscult::cli {
namespace {

Result<Exit> run(const std::vector<std::string>& arguments, Environment& environment) {
  std::string verb;
  std::string pattern;
  std::vector<std::string> files;
  std::string format = "table";
  int64_t context = 5;
  Options options("logs", "Logs: grep PATTERN FILE...");
  options.positional("VERB", verb, true, "grep")
      .positional("PATTERN", pattern, true, "RE2 expression")
      .positionals("FILE", files, true, "files to read")
      .integer("--context", context, "lines before and after a match")
      .choice("--format", format, {"table", "jsonl"}, "how to print");
  if (!TRY(options.parse(arguments, environment.out))) return Exit::ok;
  if (verb != "grep") {
    return Error{ErrorCode::invalid_input, "logs knows grep, not '" + verb + "'"};
  }
  if (context < 0 || context > 1000) {
    return Error{ErrorCode::invalid_input, "--context takes 0 to 1000"};
  }
  uint64_t matches = 0;
  for (const auto& file : files) {
    const auto records = TRY(logs::read_log_file(file, "", file));
    const auto result = TRY(logs::log_grep(records, {.words = {},
                                                     .pattern = pattern,
                                                     .before = static_cast<size_t>(context),
                                                     .after = static_cast<size_t>(context)}));
    matches += result.matches;
    for (const auto& hunk : result.hunks) {
      if (format == "table") environment.out << "-- " << file << '\n';
      for (const auto& line : hunk.lines) {
        const auto& record = records[line.index];
        const auto number = model::label(record.attributes, "log.file.line");
        if (format == "jsonl") {
          environment.out << Json(Json::Object{{"file", file},
                                               {"line", to_int(number).value_or(0)},
                                               {"matched", line.matched},
                                               {"text", record.body}})
                                 .dump()
                          << '\n';
        } else {
          environment.out << number << (line.matched ? ':' : '-') << record.body << '\n';
        }
      }
    }
  }
  return matches > 0 ? Exit::ok : Exit::bad_finding;
}

}  // namespace

Command logs() { return {.summary = "search log files with context", .run = run}; }

}  // namespace auscult::cli
