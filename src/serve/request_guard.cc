#include "serve/request_guard.h"

#include <algorithm>

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

std::optional<std::string> why_refused(const net::Request& request, const GuardRules& rules) {
  const auto host = net::header(request.headers, "Host");
  const auto name = name_of(host);
  const bool known = host.empty() || rules.any_name || is_loopback_name(name) ||
                     std::find(rules.names.begin(), rules.names.end(), name) != rules.names.end();
  if (!known) {
    return "this server does not answer to the name '" + std::string(host) +
           "': its configuration lists the names that it has under 'names'";
  }
  const auto origin = net::header(request.headers, "Origin");
  if (!origin.empty() && origin != (rules.https ? "https://" : "http://") + std::string(host)) {
    return "requests from pages of '" + std::string(origin) + "' are not answered";
  }
  return {};
}

}  // namespace auscult::serve
