// `auscult incident list | show ID | close ID --by NAME`.
#include <ostream>

#include "cli/backend.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/print_table.h"

namespace auscult::cli {
namespace {

Result<Exit> list(Backend& backend, const std::string& format, std::ostream& out) {
  const Json answer = TRY(backend.get_json("/incidents"));
  if (format == "json") {
    out << answer.dump(2) << '\n';
    return Exit::ok;
  }
  std::vector<std::vector<std::string>> rows;
  for (const Json& incident : answer["incidents"].array()) {
    rows.push_back({incident["id"].string_or(""), incident["status"].string_or(""),
                    incident["verdict"].string_or("-"), incident["fault"].string_or("-"),
                    incident["trigger"].string_or("")});
  }
  print_table(out, {"incident", "status", "verdict", "fault", "trigger"}, rows);
  return Exit::ok;
}

Result<Exit> show(Backend& backend, const std::string& id, const std::string& format,
                  std::ostream& out) {
  const Json incident = TRY(backend.get_json("/incidents/" + id));
  if (format == "json") {
    out << incident.dump(2) << '\n';
    return Exit::ok;
  }
  out << id << ": " << incident["status"].string_or("") << ", " << incident["trigger"].string_or("")
      << '\n';
  for (const Json& event : incident["events"].array()) {
    std::string detail = event["detail"].dump();
    constexpr size_t shown = 160;
    if (detail.size() > shown) detail = detail.substr(0, shown) + "...";
    out << event["at"].string_or("") << "  " << event["kind"].string_or("") << "  "
        << event["actor"].string_or("") << "  " << detail << '\n';
  }
  return Exit::ok;
}

Result<Exit> run(const std::vector<std::string>& arguments, Environment& environment) {
  std::string verb;
  std::string id;
  std::string by;
  std::string verdict;
  std::string words;
  std::string format = "table";
  BackendOptions where;
  Options options("incident", "Incidents: list, show ID, close ID.");
  options.positional("VERB", verb, true, "list, show or close")
      .positional("ID", id, false, "incident id")
      .text("--by", by, "close: your name")
      .text("--verdict", verdict, "close: the fault it really was")
      .text("--words", words, "close: what you want to remember")
      .choice("--format", format, {"table", "json"}, "how to print");
  where.declare(options);
  if (!TRY(options.parse(arguments, environment.out))) return Exit::ok;
  if (verb != "list" && verb != "show" && verb != "close") {
    return Error{ErrorCode::invalid_input,
                 "incident knows list, show and close, not '" + verb + "'"};
  }
  if (verb != "list" && id.empty()) {
    return Error{ErrorCode::invalid_input, "name the incident: auscult incident " + verb + " ID"};
  }
  const auto backend = TRY(open_backend(where, environment));
  if (verb == "list") return list(*backend, format, environment.out);
  if (verb == "show") return show(*backend, id, format, environment.out);
  const Json closed = TRY(
      backend->post_json("/incidents/" + id + "/close",
                         Json(Json::Object{{"by", by}, {"verdict", verdict}, {"words", words}})));
  environment.out << closed["id"].string_or("") << ": " << closed["status"].string_or("") << '\n';
  return Exit::ok;
}

}  // namespace

Command incident() { return {.summary = "incidents: list, show, close", .run = run}; }

}  // namespace auscult::cli
