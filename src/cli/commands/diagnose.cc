// `auscult diagnose`: a node now, an incident as recorded, or one task again.
#include <cmath>
#include <ostream>

#include "base/text.h"
#include "cli/backend.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/print_diagnosis.h"

namespace auscult::cli {
namespace {

struct Arguments {
  BackendOptions where;
  std::string incident, node, task;
  std::string since = "30m";
  std::string format = "table";
  std::vector<std::string> parameters;
};

Result<Exit> run_task(const Arguments& arguments, Backend& backend, std::ostream& out) {
  Json parameters{Json::Object{}};
  for (const auto& parameter : arguments.parameters) {
    const auto equals = parameter.find('=');
    if (equals == std::string::npos) {
      return Error{ErrorCode::invalid_input, "--param takes NAME=VALUE, not '" + parameter + "'"};
    }
    parameters.set(parameter.substr(0, equals), parameter.substr(equals + 1));
  }
  const Json finding = TRY(backend.post_json("/tasks/" + arguments.task, parameters));
  if (arguments.format == "json") {
    out << finding.dump(2) << '\n';
    return Exit::ok;
  }
  out << finding["answer"].string_or("") << ": " << finding["statement"].string_or("") << '\n';
  if (finding["value"].is_number()) {
    out << "value " << finding["value"].dump() << ' ' << finding["unit"].string_or("") << '\n';
  }
  if (finding["baseline"].is_number()) out << "baseline " << finding["baseline"].dump() << '\n';
  if (const Json& statistic = finding["statistic"]; statistic.is_object()) {
    out << statistic["name"].string_or("") << ' ' << statistic["value"].dump() << ", p "
        << statistic["p"].dump() << '\n';
  }
  return Exit::ok;
}

// Exit 1 when something is wrong with the node, as a check in a script wants it.
Result<Exit> print(const std::string& text, const Arguments& arguments, std::ostream& out) {
  const Json json = TRY(Json::parse(text));
  if (arguments.format == "json") {
    out << json.dump(2) << '\n';
  } else {
    print_diagnosis(TRY(diagnose::diagnosis_from_json(json)), out);
  }
  return json["verdict"].string_or("") == "healthy" ? Exit::ok : Exit::bad_finding;
}

Result<Exit> run(const std::vector<std::string>& words, Environment& environment) {
  Arguments arguments;
  Options options("diagnose",
                  "Diagnose a node now (--node), show an incident's diagnosis (--incident), or run "
                  "one evidence task again (--task).");
  options.text("--node", arguments.node, "node to diagnose")
      .text("--since", arguments.since, "how far back the trouble may have begun")
      .text("--incident", arguments.incident, "incident id")
      .text("--task", arguments.task, "evidence task to run")
      .texts("--param", arguments.parameters, "NAME=VALUE of the task; repeatable")
      .choice("--format", arguments.format, {"table", "json"}, "how to print");
  arguments.where.declare(options);
  if (!TRY(options.parse(words, environment.out))) return Exit::ok;
  const int asked = (arguments.node.empty() ? 0 : 1) + (arguments.incident.empty() ? 0 : 1) +
                    (arguments.task.empty() ? 0 : 1);
  if (asked != 1) {
    return Error{ErrorCode::invalid_input, "give one of --node, --incident and --task"};
  }
  const auto backend = TRY(open_backend(arguments.where, environment));
  if (!arguments.task.empty()) return run_task(arguments, *backend, environment.out);
  if (!arguments.incident.empty()) {
    const auto text =
        TRY(backend->get("/incidents/" + arguments.incident + "/report", {{"format", "json"}}));
    return print(text, arguments, environment.out);
  }
  const auto text = TRY(backend->post(
      "/diagnose", Json(Json::Object{{"node_id", arguments.node}, {"since", arguments.since}})));
  return print(text, arguments, environment.out);
}

}  // namespace

Command diagnose() { return {.summary = "what is wrong with a node, and why", .run = run}; }

}  // namespace auscult::cli
