// `auscult token new --name NAME --role ROLE`.
#include <ostream>

#include "cli/command.h"
#include "cli/options.h"
#include "serve/access.h"

namespace auscult::cli {
namespace {

Result<Exit> run(const std::vector<std::string>& arguments, Environment& environment) {
  std::string verb;
  std::string name;
  std::string role;
  Options options("token",
                  "Make a token for a server. Standard output: the token, for its client, then its "
                  "line for the file that 'tokens:' names in the server's configuration. The token "
                  "itself is not kept.");
  options.positional("VERB", verb, true, "new")
      .text("--name", name, "who will use it; shown in events")
      .choice("--role", role, {"ingest", "read", "operate", "admin"},
              "ingest: deliver data, agents; read: look; operate: read, diagnose, close; admin: "
              "everything");
  if (!TRY(options.parse(arguments, environment.out))) return Exit::ok;
  if (verb != "new") {
    return Error{ErrorCode::invalid_input, "token knows new, not '" + verb + "'"};
  }
  const auto known = serve::token_role(role);
  if (name.empty() || !known) {
    return Error{ErrorCode::invalid_input, "give --name NAME and --role ROLE"};
  }
  const auto made = TRY(serve::make_token(name, *known));
  environment.out << made.text << '\n' << made.line << '\n';
  return Exit::ok;
}

}  // namespace

Command token() { return {.summary = "tokens for the server's clients: new", .run = run}; }

}  // namespace auscult::cli
