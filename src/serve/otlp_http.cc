#include "serve/otlp_http.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace auscult::serve {
namespace {

using wire::Encoding;
using wire::Signal;

std::optional<Signal> signal_of(std::string_view path) {
  if (path == "/v1/metrics") return Signal::metrics;
  if (path == "/v1/logs") return Signal::logs;
  if (path == "/v1/traces") return Signal::traces;
  return {};
}

std::optional<Encoding> encoding_of(std::string_view content_type) {
  std::string type(trim(content_type.substr(0, content_type.find(';'))));
  // Media types do not care about case (RFC 9110).
  for (char& c : type) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (type == "application/x-protobuf") return Encoding::protobuf;
  if (type == "application/json") return Encoding::json;
  return {};
}

std::string content_type(Encoding encoding) {
  return encoding == Encoding::json ? "application/json" : "application/x-protobuf";
}

net::Response refuse(Encoding encoding, int status, const std::string& message) {
  net::Response response{.status = status,
                         .headers = {{"Content-Type", content_type(encoding)}},
                         .body = wire::encode_error(encoding, status, message)};
  if (status == 429 || status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

net::Response response_of(const Outcome& outcome, Signal signal, Encoding encoding) {
  switch (outcome.kind) {
    case Outcome::Kind::malformed:
      return refuse(encoding, 400, outcome.message);
    case Outcome::Kind::busy:
      return refuse(encoding, 429, outcome.message);
    case Outcome::Kind::failed:
      return refuse(encoding, 503, outcome.message);
    case Outcome::Kind::stored:
      break;
  }
  return {.status = 200,
          .headers = {{"Content-Type", content_type(encoding)}},
          .body = wire::encode_success(signal, encoding, outcome.rejected, outcome.message)};
}

}  // namespace

void handle_otlp(net::Request request, const net::Reply& reply, Ingest& ingest) {
  const auto signal = signal_of(request.path);
  const auto encoding = encoding_of(net::header(request.headers, "Content-Type"));
  if (!signal || request.method != "POST" || !encoding) {
    ingest.count_malformed();
    const int status = !signal ? 404 : request.method != "POST" ? 405 : 415;
    reply(refuse(encoding.value_or(Encoding::json), status,
                 status == 404   ? "OTLP is at /v1/metrics, /v1/logs and /v1/traces"
                 : status == 405 ? "OTLP takes POST"
                                 : "send application/x-protobuf or application/json"));
    return;
  }
  Delivery delivery{
      .format = *encoding == Encoding::json ? Format::otlp_json : Format::otlp_protobuf,
      .signal = *signal,
      .content_encoding = std::string(net::header(request.headers, "Content-Encoding")),
      .body = std::move(request.body)};
  ingest.take(std::move(delivery),
              [reply, signal = *signal, encoding = *encoding](const Outcome& outcome) {
                reply(response_of(outcome, signal, encoding));
              });
}

std::optional<net::Response> otlp_denial(const net::Request& request, const Access& access) {
  const auto admission = access.admit(net::header(request.headers, "Authorization"), Role::ingest);
  if (admission.admitted) return {};
  const auto encoding = encoding_of(net::header(request.headers, "Content-Type"));
  auto response =
      refuse(encoding.value_or(Encoding::json), admission.known ? 403 : 401, admission.message);
  if (!admission.known) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

}  // namespace auscult::serve
