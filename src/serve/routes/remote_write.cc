// Prometheus remote write: what a Prometheus, an agent or a collector pushes.
#include "base/text.h"
#include "serve/ingest.h"
#include "serve/route.h"

namespace auscult::serve {
namespace {

// Remote write reads the status: 2xx done, 429 and 5xx again, other 4xx never again.
net::Response response_of(const Outcome& outcome) {
  const auto refuse = [&](int status) {
    auto response = net::text_response(status, outcome.message + "\n");
    if (status == 429 || status == 503) response.headers.emplace_back("Retry-After", "1");
    return response;
  };
  switch (outcome.kind) {
    case Outcome::Kind::malformed:
      return refuse(400);
    case Outcome::Kind::busy:
      return refuse(429);
    case Outcome::Kind::failed:
      return refuse(503);
    case Outcome::Kind::stored:
      break;
  }
  if (outcome.rejected == 0) return {.status = 204, .headers = {}, .body = {}};
  // The rest is stored. The specification asks for 400 here, so that the sender says so in its log.
  return net::text_response(400, std::to_string(outcome.rejected) +
                                     " samples were not stored: " + outcome.message + "\n");
}

void write(net::Request request, const PathParameters&, Context& context, net::Reply reply) {
  if (context.ingest == nullptr) {
    reply(error_response({ErrorCode::unavailable, "remote write needs a running server"}));
    return;
  }
  const auto version = net::header(request.headers, "X-Prometheus-Remote-Write-Version");
  const auto type = net::header(request.headers, "Content-Type");
  if (type.find("io.prometheus.write.v2") != std::string_view::npos || version.starts_with("2")) {
    context.ingest->count_malformed();
    reply(net::text_response(415, "remote write 2.0 is not supported: send 1.0\n"));
    return;
  }
  const auto encoding = net::header(request.headers, "Content-Encoding");
  if (!encoding.empty() && encoding != "snappy") {
    context.ingest->count_malformed();
    reply(net::text_response(415, "remote write is compressed by snappy\n"));
    return;
  }
  context.ingest->take(
      {.format = Format::remote_write, .content_encoding = {}, .body = std::move(request.body)},
      [reply = std::move(reply)](const Outcome& outcome) { reply(response_of(outcome)); });
}

}  // namespace

Route remote_write() {
  return {.endpoints = {{.method = "POST",
                         .path = "/api/v1/write",
                         .role = Role::ingest,
                         .summary = "Prometheus remote write 1.0",
                         .later = write}}};
}

}  // namespace auscult::serve
