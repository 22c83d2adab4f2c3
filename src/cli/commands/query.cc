// `auscult query sql TEXT`: read-only SQL over the store.
#include <ostream>

#include "cli/backend.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/print_table.h"

namespace auscult::cli {
namespace {

std::string cell_text(const Json& cell) {
  return cell.is_string() ? cell.string_or("") : cell.dump();
}

void print(const Json& answer, const std::string& format, std::ostream& out) {
  std::vector<std::string> header;
  for (const Json& column : answer["columns"].array())
    header.push_back(column["name"].string_or(""));
  if (format == "json") {
    out << answer.dump(2) << '\n';
    return;
  }
  std::vector<std::vector<std::string>> rows;
  for (const Json& row : answer["rows"].array()) {
    Json object{Json::Object{}};
    std::vector<std::string> cells;
    for (size_t i = 0; i < row.array().size(); ++i) {
      object.set(header[i], row.array()[i]);
      cells.push_back(cell_text(row.array()[i]));
    }
    if (format == "jsonl") out << object.dump() << '\n';
    rows.push_back(std::move(cells));
  }
  if (format == "table") print_table(out, header, rows);
}

Result<Exit> run(const std::vector<std::string>& arguments, Environment& environment) {
  std::string language;
  std::string text;
  std::string format = "table";
  std::vector<std::string> parameters;
  BackendOptions where;
  Options options("query", "Ask the store. 'sql': ClickHouse SQL that only reads.");
  options.positional("LANGUAGE", language, true, "sql")
      .positional("TEXT", text, true, "the query")
      .texts("--param", parameters, "NAME=VALUE for a {NAME:Type} placeholder")
      .choice("--format", format, {"table", "json", "jsonl"}, "how to print");
  where.declare(options);
  if (!TRY(options.parse(arguments, environment.out))) return Exit::ok;
  if (language != "sql") {
    return Error{ErrorCode::invalid_input, "unknown query language '" + language + "': use sql"};
  }
  Json named{Json::Object{}};
  for (const auto& parameter : parameters) {
    const auto equals = parameter.find('=');
    if (equals == std::string::npos) {
      return Error{ErrorCode::invalid_input, "--param takes NAME=VALUE, not '" + parameter + "'"};
    }
    named.set(parameter.substr(0, equals), parameter.substr(equals + 1));
  }
  const auto backend = TRY(open_backend(where, environment));
  const Json answer = TRY(backend->post_json(
      "/query/sql", Json(Json::Object{{"sql", text}, {"parameters", std::move(named)}})));
  print(answer, format, environment.out);
  return Exit::ok;
}

}  // namespace

Command query() { return {.summary = "SQL over the store", .run = run}; }

}  // namespace auscult::cli
