// Diagnosis on demand, and single tasks run again.
#include <algorithm>

#include "base/text.h"
#include "diagnose/action_record.h"
#include "diagnose/engine.h"
#include "serve/incident.h"
#include "serve/route.h"

namespace auscult::serve {
namespace {

constexpr std::chrono::hours longest_since{7 * 24};  // as far back as a baseline reaches
constexpr int64_t history_ns = int64_t{6} * 3600 * ns_per_s;

Result<net::Response> run_one_task(const net::Request& request, const PathParameters& path,
                                   Context& context) {
  const Json body = TRY(body_object(request));
  diagnose::TaskParameters parameters;
  for (const auto& [name, value] : body.object()) {
    parameters[name] = value.is_string() ? value.string_or("") : value.dump();
  }
  const auto finding =
      TRY(diagnose::run_task(path.at("name"), parameters, {context.store, context.clock}));
  return net::json_response(200, diagnose::to_json(finding).dump());
}

Result<net::Response> list_tasks(const net::Request&, const PathParameters&, Context&) {
  Json tasks{Json::Array{}};
  for (const auto& [name, task] : diagnose::all_tasks()) {
    Json parameters{Json::Array{}};
    for (const auto& parameter : task.parameters) {
      parameters.push(Json(Json::Object{{"name", parameter.name},
                                        {"meaning", parameter.meaning},
                                        {"default", parameter.fallback},
                                        {"required", parameter.required}}));
    }
    tasks.push(Json(Json::Object{
        {"name", name}, {"summary", task.summary}, {"parameters", std::move(parameters)}}));
  }
  return net::json_response(200, Json(Json::Object{{"tasks", std::move(tasks)}}).dump());
}

// What no host is called is a mistake of the caller, not a node without data.
Result<Ok> check_node_id(const std::string& node) {
  constexpr size_t longest_name = 253;  // of a DNS name
  if (node.empty()) return Error{ErrorCode::invalid_input, "'node_id' is missing"};
  const bool printable =
      std::all_of(node.begin(), node.end(), [](unsigned char c) { return c > 0x20 && c != 0x7f; });
  if (node.size() > longest_name || !printable) {
    return Error{ErrorCode::invalid_input,
                 "'node_id' must be 1 to 253 characters, without blanks and control characters"};
  }
  return Ok{};
}

Result<net::Response> run_diagnosis(const net::Request& request, const PathParameters&,
                                    Context& context) {
  const Json body = TRY(body_object(request));
  const std::string node = body["node_id"].string_or("");
  TRY(check_node_id(node));
  if (body.has("since") && !body["since"].is_string()) {
    return Error{ErrorCode::invalid_input, "'since' must be a duration in quotes, as \"30m\""};
  }
  const auto since = TRY(parse_duration(body["since"].string_or("30m")), "'since'");
  if (since.count() <= 0 || since > longest_since) {
    return Error{ErrorCode::invalid_input, "'since' must lie between 1ms and 7d"};
  }
  const int64_t now_ns = context.clock.now_ns();
  const int64_t started_at_ns = now_ns - std::chrono::nanoseconds(since).count();
  diagnose::Illness illness{.incident_id = new_incident_id(node, now_ns),
                            .node_id = node,
                            .trigger = "somebody asked how " + node + " is",
                            .trigger_name = "asked",
                            .started_at_ns = started_at_ns,
                            .opened_at_ns = now_ns,
                            .baseline = {started_at_ns - history_ns, started_at_ns},
                            .alerted = false};
  store::Batch batch;
  batch.events.push_back({.incident_id = illness.incident_id,
                          .timestamp_ns = now_ns,
                          .kind = diagnose::event::opened,
                          .actor = actor_of(request, body, "user"),
                          .detail = Json(Json::Object{{"node_id", node},
                                                      {"trigger", illness.trigger},
                                                      {"trigger_name", illness.trigger_name},
                                                      {"from", request.remote}})});
  TRY(context.store.write_and_wait(std::move(batch)));
  diagnose::EngineOptions options = context.engine;
  if (context.watch != nullptr) {
    options.disturbs = [&](const std::string& disturbed, store::TimeRange range) {
      context.watch->quiet(disturbed, range);
    };
  }
  const auto diagnosis = TRY(diagnose::diagnose(illness, context.store, context.clock, options));
  if (!options.data_folder.empty()) TRY(write_report(options.data_folder, diagnosis));
  return net::json_response(200, diagnose::to_json(diagnosis).dump(2) + "\n");
}

}  // namespace

Route diagnose() {
  return {.endpoints = {{.method = "GET",
                         .path = "/api/auscult/v1/tasks",
                         .role = Role::read,
                         .summary = "the evidence tasks and their parameters",
                         .answer = list_tasks},
                        {.method = "POST",
                         .path = "/api/auscult/v1/tasks/{name}",
                         .role = Role::read,
                         .summary = "run one task",
                         .answer = run_one_task},
                        {.method = "POST",
                         .path = "/api/auscult/v1/diagnose",
                         .role = Role::operate,
                         .summary = "diagnose a node now",
                         .lane = Lane::slow,
                         .answer = run_diagnosis}}};
}

}  // namespace auscult::serve
