// /healthz and /readyz: is the process alive, does the store answer?
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
                         .answer = ready}}};
}

}  // namespace auscult::serve
