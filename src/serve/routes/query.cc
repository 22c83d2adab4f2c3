// SQL of a user over the store: reading only, nothing outside it.
#include "base/text.h"
#include "serve/route.h"

namespace auscult::serve {
namespace {

// Numbers stay numbers where JSON can hold them exactly.
Json cell(const std::string& text, const std::string& type) {
  if (type.find("String") != std::string::npos) return text;
  if (const auto whole = to_int(text)) return *whole;
  if (type.find("Float") != std::string::npos) {
    if (const auto number = to_double(text)) return *number;
  }
  return text;
}

Result<net::Response> sql(const net::Request& request, const PathParameters&, Context& context) {
  const Json body = TRY(body_object(request));
  store::Parameters parameters;
  for (const auto& [name, value] : body["parameters"].object()) {
    parameters[name] = value.is_string() ? value.string_or("") : value.dump();
  }
  const auto table = TRY(context.store.engine().query_user(body["sql"].string_or(""), parameters));
  Json columns{Json::Array{}};
  for (size_t i = 0; i < table.names.size(); ++i) {
    columns.push(Json(Json::Object{{"name", table.names[i]}, {"type", table.types[i]}}));
  }
  Json rows{Json::Array{}};
  for (const auto& row : table.rows) {
    Json cells{Json::Array{}};
    for (size_t i = 0; i < row.size(); ++i) cells.push(cell(row[i], table.types[i]));
    rows.push(std::move(cells));
  }
  return net::json_response(
      200, Json(Json::Object{{"columns", std::move(columns)}, {"rows", std::move(rows)}}).dump());
}

}  // namespace

Route query() {
  return {.endpoints = {{.method = "POST",
                         .path = "/api/auscult/v1/query/sql",
                         .role = Role::read,
                         .summary = "read-only SQL: {\"sql\", \"parameters\"}",
                         .answer = sql}}};
}

}  // namespace auscult::serve
