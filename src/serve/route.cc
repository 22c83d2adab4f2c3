#include "serve/route.h"

#include "base/text.h"

namespace auscult::serve {

Router::Router() {
  for (const auto& [name, route] : all_routes()) {
    endpoints_.insert(endpoints_.end(), route.endpoints.begin(), route.endpoints.end());
  }
}

Match Router::match(std::string_view method, std::string_view path) const {
  const auto pieces = split(path, '/');
  Match match;
  for (const Endpoint& endpoint : endpoints_) {
    const auto expected = split(endpoint.path, '/');
    if (expected.size() != pieces.size()) continue;
    PathParameters parameters;
    bool fits = true;
    for (size_t i = 0; i < pieces.size() && fits; ++i) {
      if (expected[i].starts_with('{')) {
        parameters[std::string(expected[i].substr(1, expected[i].size() - 2))] = pieces[i];
      } else {
        fits = expected[i] == pieces[i];
      }
    }
    if (!fits) continue;
    // HEAD is GET without the body (RFC 9110, 9.3.2), which the HTTP server leaves out. Not of a
    // long poll: what its answer hands out would be lost.
    const bool is_head = method == "HEAD" && endpoint.method == "GET" && endpoint.later == nullptr;
    if (endpoint.method != method && !is_head) {
      match.other_method = true;
      continue;
    }
    return {.endpoint = &endpoint, .path = std::move(parameters), .other_method = false};
  }
  return match;
}

net::Response error_response(const Error& error) {
  const int status = error.code == ErrorCode::invalid_input ? 400
                     : error.code == ErrorCode::not_found   ? 404
                     : error.code == ErrorCode::unavailable ? 503
                                                            : 500;
  auto response = net::json_response(status, Json(Json::Object{{"error", error.message}}).dump());
  if (status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

Result<Json> body_object(const net::Request& request) {
  if (trim(request.body).empty()) return Json(Json::Object{});
  Json json = TRY(Json::parse(request.body), "request body");
  if (!json.is_object()) {
    return Error{ErrorCode::invalid_input, "request body: expected a JSON object"};
  }
  return json;
}

std::string actor_of(const net::Request& request, const Json& body, std::string_view fallback) {
  if (!request.caller.empty()) return request.caller;
  return body["by"].string_or(std::string(fallback));
}

net::Response denial(const Admission& admission) {
  auto response = net::json_response(admission.known ? 403 : 401,
                                     Json(Json::Object{{"error", admission.message}}).dump());
  if (!admission.known) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

net::Response answer_now(const Router& router, const net::Request& request, Context& context) {
  const Match match = router.match(request.method, request.path);
  if (match.endpoint == nullptr || match.endpoint->answer == nullptr) {
    if (match.other_method) {
      return net::json_response(405, R"({"error":"this path has no such method"})");
    }
    return net::json_response(
        404, Json(Json::Object{{"error", "there is nothing at " + request.path}}).dump());
  }
  auto answer = match.endpoint->answer(request, match.path, context);
  return answer ? *std::move(answer) : error_response(answer.error());
}

}  // namespace auscult::serve
