// Incidents: list, one whole, its report, and a person's verdict.
#include "diagnose/action_record.h"
#include "report/report.h"
#include "serve/incident.h"
#include "serve/route.h"

namespace auscult::serve {
namespace {

Result<net::Response> list(const net::Request&, const PathParameters&, Context& context) {
  Json incidents{Json::Array{}};
  for (const auto& id : TRY(context.store.incident_ids())) {
    incidents.push(to_json(TRY(read_incident(context.store, id)), false));
  }
  return net::json_response(200, Json(Json::Object{{"incidents", std::move(incidents)}}).dump());
}

Result<net::Response> show(const net::Request&, const PathParameters& path, Context& context) {
  const auto incident = TRY(read_incident(context.store, path.at("id")));
  return net::json_response(200, to_json(incident, true).dump());
}

Result<net::Response> report_of(const net::Request& request, const PathParameters& path,
                                Context& context) {
  const auto incident = TRY(read_incident(context.store, path.at("id")));
  if (!incident.diagnosis) {
    return Error{ErrorCode::not_found, "incident " + incident.id + " has no diagnosis yet"};
  }
  if (request.parameter("format") == "json") {
    return net::json_response(200, diagnose::to_json(*incident.diagnosis).dump(2) + "\n");
  }
  auto response =
      net::text_response(200, report::to_markdown(report::make_report(*incident.diagnosis)));
  response.headers = {{"Content-Type", "text/markdown; charset=utf-8"}};
  return response;
}

Result<net::Response> close(const net::Request& request, const PathParameters& path,
                            Context& context) {
  const Json body = TRY(body_object(request));
  const std::string by = actor_of(request, body, "");
  if (by.empty()) {
    return Error{ErrorCode::invalid_input, "'by' must name the person who closes the incident"};
  }
  const auto incident = TRY(read_incident(context.store, path.at("id")));
  store::Batch batch;
  batch.events.push_back({.incident_id = incident.id,
                          .timestamp_ns = context.clock.now_ns(),
                          .kind = diagnose::event::closed,
                          .actor = by,
                          .detail = Json(Json::Object{{"by", body["by"].string_or("")},
                                                      {"verdict", body["verdict"].string_or("")},
                                                      {"words", body["words"].string_or("")},
                                                      {"from", request.remote}})});
  TRY(context.store.write_and_wait(std::move(batch)));
  return net::json_response(200,
                            to_json(TRY(read_incident(context.store, incident.id)), false).dump());
}

}  // namespace

Route incidents() {
  return {.endpoints = {{.method = "GET",
                         .path = "/api/auscult/v1/incidents",
                         .role = Role::read,
                         .summary = "the newest incidents",
                         .answer = list},
                        {.method = "GET",
                         .path = "/api/auscult/v1/incidents/{id}",
                         .role = Role::read,
                         .summary = "one incident with its events",
                         .answer = show},
                        {.method = "GET",
                         .path = "/api/auscult/v1/incidents/{id}/report",
                         .role = Role::read,
                         .summary = "its report, Markdown or ?format=json",
                         .answer = report_of},
                        {.method = "POST",
                         .path = "/api/auscult/v1/incidents/{id}/close",
                         .role = Role::operate,
                         .summary = "closed by a person, with a verdict",
                         .answer = close}}};
}

}  // namespace auscult::serve
