#include "serve/request_guard.h"

#include "base/text.h"

namespace auscult::serve {
namespace {

// The name without its port: "localhost:9494", "[::1]:9494".
std::string_view name_of(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

bool is_loopback_name(std::string_view name) {
  return name == "localhost" || name == "[::1]" || name.starts_with("127.");
}

}  // namespace

std::optional<std::string> why_refused(const net::Request& request) {
  const auto host = net::header(request.headers, "Host");
  if (!host.empty() && !is_loopback_name(name_of(host))) {
    return "this server answers to the names of loopback only, not to '" + std::string(host) + "'";
  }
  const auto origin = net::header(request.headers, "Origin");
  if (!origin.empty() && origin != "http://" + std::string(host)) {
    return "requests from pages of '" + std::string(origin) + "' are not answered";
  }
  return {};
}

}  // namespace auscult::serve
