// The action channel: an agent fetches its signed actions by long poll and brings back results.
#include "base/text.h"
#include "serve/route.h"

namespace auscult::serve {
namespace {

constexpr std::chrono::seconds patience{30};

void poll(net::Request request, const PathParameters&, Context& context, net::Reply reply) {
  const std::string node(request.parameter("node"));
  if (node.empty() || context.broker == nullptr) {
    reply(error_response({ErrorCode::invalid_input, "name the node: ?node=ID"}));
    return;
  }
  const auto taken = context.broker->poll(node, patience, [reply](std::vector<Json> requests) {
    Json actions{Json::Array{}};
    for (auto& one : requests) actions.push(std::move(one));
    reply(net::json_response(200, Json(Json::Object{{"actions", std::move(actions)}}).dump()));
  });
  if (!taken) reply(error_response(taken.error()));
}

Result<net::Response> finish(const net::Request& request, const PathParameters& path,
                             Context& context) {
  if (context.broker == nullptr) return Error{ErrorCode::unavailable, "no server runs"};
  const Json body = TRY(body_object(request));
  const auto result = TRY(actions::action_result_from_json(body));
  if (result.id != path.at("id")) {
    return Error{ErrorCode::invalid_input,
                 "the result is of '" + result.id + "', not of '" + path.at("id") + "'"};
  }
  TRY(context.broker->finish(result));
  return net::json_response(200, "{}");
}

}  // namespace

Route agent() {
  return {.endpoints = {{.method = "GET",
                         .path = "/api/auscult/v1/agent/actions",
                         .role = Role::ingest,
                         .summary = "signed actions for a node, long poll of 30 s",
                         .later = poll},
                        {.method = "POST",
                         .path = "/api/auscult/v1/agent/actions/{id}/result",
                         .role = Role::ingest,
                         .summary = "what an action brought back",
                         .lane = Lane::prompt,
                         .answer = finish}}};
}

}  // namespace auscult::serve
