// /healthz and /readyz: is the process alive, does the store answer? And whose is it?
#include "serve/route.h"

namespace auscult::serve {
namespace {

Result<net::Response> alive(const net::Request&, const PathParameters&, Context&) {
  return net::text_response(200, "ok\n");
}

Result<net::Response> ready(const net::Request&, const PathParameters&, Context& context) {
  TRY(context.store.engine().query({.sql = "SELECT 1", .parameters = {}}), "the store");
  return net::text_response(200, "ready\n");
}

// The key is of the data folder, made with it: it tells one server from another.
Result<net::Response> identity(const net::Request&, const PathParameters&, Context& context) {
  if (context.broker == nullptr) return Error{ErrorCode::unavailable, "no server runs"};
  return net::json_response(
      200, Json(Json::Object{{"public_key", context.broker->public_key_base64()}}).dump());
}

}  // namespace

Route health() {
  return {.endpoints = {{.method = "GET",
                         .path = "/healthz",
                         .role = Role::open,
                         .summary = "the process runs",
                         .lane = Lane::io,
                         .answer = alive},
                        {.method = "GET",
                         .path = "/readyz",
                         .role = Role::open,
                         .summary = "the store answers",
                         .lane = Lane::prompt,
                         .answer = ready},
                        {.method = "GET",
                         .path = "/api/auscult/v1/server",
                         .role = Role::open,
                         .summary = "the public key of this server, which its agents are given",
                         .lane = Lane::io,
                         .answer = identity}}};
}

}  // namespace auscult::serve
