// The JSON of action requests and results.
#include "actions/action.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"

namespace auscult::actions {
namespace {

// An id is part of a path (POST .../actions/{id}/result) and of the replay memory.
constexpr size_t most_id_bytes = 128;

constexpr std::array<std::string_view, 10> request_members = {
    "id",     "class",     "action",     "target",   "params",
    "limits", "issued_at", "expires_at", "incident", "signature"};

Error wrong(std::string_view member, std::string_view expected) {
  return {ErrorCode::invalid_input,
          "action: '" + std::string(member) + "' must be " + std::string(expected)};
}

bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= most_id_bytes &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_' || c == '.';
         });
}

Result<std::string> text_of(const Json& json, std::string_view member) {
  const Json& value = json[member];
  if (!value.is_string() || value.string_or("").empty()) return wrong(member, "a non-empty text");
  return value.string_or("");
}

Result<int64_t> time_of(const Json& json, std::string_view member) {
  const Json& value = json[member];
  if (!value.is_string()) return wrong(member, "a time as RFC 3339 has it");
  return TRY(parse_time(value.string_or("")), "action: '" + std::string(member) + "'");
}

// A member that nobody here reads may be a restriction that nobody here keeps.
Result<Ok> refuse_unknown_members(const Json& json) {
  for (const auto& [name, value] : json.object()) {
    if (std::find(request_members.begin(), request_members.end(), name) == request_members.end()) {
      return Error{ErrorCode::invalid_input, "action: unknown member '" + name + "'"};
    }
  }
  for (const auto& [name, value] : json["limits"].object()) {
    if (name != "seconds" && name != "bytes") {
      return Error{ErrorCode::invalid_input, "action: unknown limit '" + name + "'"};
    }
  }
  return Ok{};
}

}  // namespace

Json to_json(const ActionRequest& request) {
  Json limits{Json::Object{}};
  limits.set("seconds", request.limits.seconds).set("bytes", request.limits.bytes);
  Json json{Json::Object{}};
  json.set("id", request.id)
      .set("class", request.action_class)
      .set("action", request.action)
      .set("target", request.target)
      .set("params", request.params.is_null() ? Json(Json::Object{}) : request.params)
      .set("limits", std::move(limits))
      .set("issued_at", format_time(request.issued_at_ns))
      .set("expires_at", format_time(request.expires_at_ns))
      .set("incident", request.incident);
  return json;
}

Result<ActionRequest> action_request_from_json(const Json& json) {
  if (!json.is_object()) return wrong("action", "an object");
  TRY(refuse_unknown_members(json));
  ActionRequest request;
  request.id = TRY(text_of(json, "id"));
  if (!is_id(request.id)) return wrong("id", "at most 128 letters, digits, '-', '_' and '.'");
  request.action_class = TRY(text_of(json, "class"));
  request.action = TRY(text_of(json, "action"));
  request.target = TRY(text_of(json, "target"));
  request.params = json["params"];
  if (!request.params.is_object()) return wrong("params", "an object");
  const Json& limits = json["limits"];
  request.limits.seconds = limits["seconds"].number_or(NAN);
  if (!std::isfinite(request.limits.seconds) || request.limits.seconds <= 0) {
    return wrong("limits.seconds", "a number above 0");
  }
  if (!limits["bytes"].is_integer() || limits["bytes"].int_or(-1) < 0) {
    return wrong("limits.bytes", "a whole number from 0");
  }
  request.limits.bytes = limits["bytes"].int_or(0);
  request.issued_at_ns = TRY(time_of(json, "issued_at"));
  request.expires_at_ns = TRY(time_of(json, "expires_at"));
  request.incident = json["incident"].string_or("");
  return request;
}

Json to_json(const ActionResult& result) {
  Json json{Json::Object{}};
  json.set("id", result.id)
      .set("status", result.status)
      .set("message", result.message)
      .set("result", result.result)
      .set("started_at", format_time(result.started_at_ns))
      .set("finished_at", format_time(result.finished_at_ns));
  return json;
}

Result<ActionResult> action_result_from_json(const Json& json) {
  if (!json.is_object()) return wrong("result", "an object");
  constexpr std::array<std::string_view, 4> statuses = {"done", "refused", "failed", "timed_out"};
  ActionResult result;
  result.id = TRY(text_of(json, "id"));
  if (!is_id(result.id)) return wrong("id", "at most 128 letters, digits, '-', '_' and '.'");
  result.status = TRY(text_of(json, "status"));
  if (std::find(statuses.begin(), statuses.end(), result.status) == statuses.end()) {
    return wrong("status", "done, refused, failed or timed_out");
  }
  result.message = json["message"].string_or("");
  result.result = json["result"];
  result.started_at_ns = TRY(time_of(json, "started_at"));
  result.finished_at_ns = TRY(time_of(json, "finished_at"));
  return result;
}

}  // namespace auscult::actions
