// `auscult report show --incident ID` and `auscult report stats`.
#include <ostream>

#include "base/text.h"
#include "cli/backend.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/print_table.h"

namespace auscult::cli {
namespace {

Result<Exit> stats(Backend& backend, const std::string& format, std::ostream& out) {
  const Json answer = TRY(backend.get_json("/stats"));
  if (format == "json") {
    out << answer.dump(2) << '\n';
    return Exit::ok;
  }
  out << answer["incidents"].int_or(0) << " incidents, " << answer["located"].int_or(0)
      << " located\n";
  std::vector<std::vector<std::string>> rows;
  for (const char* name : {"time_to_notice", "time_to_locate", "time_to_repair"}) {
    const Json& one = answer[name];
    const auto show = [&](const char* member) {
      return one[member].is_number() ? format_number(one[member].number_or(0), 3) + " s"
                                     : std::string("no data");
    };
    rows.push_back({name, one["n"].dump(), show("median_seconds"), show("p95_seconds")});
  }
  print_table(out, {"from the begin of the illness", "n", "median", "p95"}, rows);
  return Exit::ok;
}

Result<Exit> run(const std::vector<std::string>& arguments, Environment& environment) {
  std::string verb;
  std::string incident;
  std::string format = "markdown";
  BackendOptions where;
  Options options("report", "Reports: show --incident ID; stats: how fast faults are located.");
  options.positional("VERB", verb, true, "show or stats")
      .text("--incident", incident, "incident id")
      .choice("--format", format, {"markdown", "json", "table"}, "how to print");
  where.declare(options);
  if (!TRY(options.parse(arguments, environment.out))) return Exit::ok;
  if (verb != "show" && verb != "stats") {
    return Error{ErrorCode::invalid_input, "report knows show and stats, not '" + verb + "'"};
  }
  if (verb == "show" && incident.empty()) {
    return Error{ErrorCode::invalid_input, "name the incident: --incident ID"};
  }
  const auto backend = TRY(open_backend(where, environment));
  if (verb == "stats") return stats(*backend, format, environment.out);
  environment.out << TRY(backend->get("/incidents/" + incident + "/report", {{"format", format}}));
  return Exit::ok;
}

}  // namespace

Command report() { return {.summary = "reports of incidents, and how fast they came", .run = run}; }

}  // namespace auscult::cli
