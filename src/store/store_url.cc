#include "store/store_url.h"

#include "base/text.h"
#include "net/client.h"

namespace auscult::store {
namespace {

constexpr size_t max_endpoints = 64;
constexpr std::string_view default_port = ":8123";

Error bad(std::string_view why) {
  return {ErrorCode::invalid_input, "store address: " + std::string(why)};
}

bool has_port(std::string_view host) {
  const auto after_brackets = host.rfind(']') + 1;  // npos + 1 is 0
  return host.find(':', after_brackets) != std::string_view::npos;
}

}  // namespace

Result<StoreUrl> parse_store_url(std::string_view text) {
  const auto colon = text.find("://");
  if (colon == std::string_view::npos) return bad("it must begin with http://");
  const std::string scheme(text.substr(0, colon + 3));
  std::string_view rest = text.substr(scheme.size());
  StoreUrl url;
  if (const auto query = rest.find('?'); query != std::string_view::npos) {
    constexpr std::string_view cluster = "?cluster=";
    if (!rest.substr(query).starts_with(cluster)) {
      return bad("the only parameter is ?cluster=NAME");
    }
    url.cluster = std::string(rest.substr(query + cluster.size()));
    rest = rest.substr(0, query);
  }
  if (const auto slash = rest.find('/'); slash != std::string_view::npos) {
    url.path = std::string(rest.substr(slash));
    rest = rest.substr(0, slash);
  }
  if (const auto at = rest.rfind('@'); at != std::string_view::npos) {
    url.user = std::string(rest.substr(0, at));
    rest = rest.substr(at + 1);
    if (url.user.find(':') != std::string::npos) {
      return bad("no password in it: give AUSCULT_STORE_PASSWORD or --store-password-file");
    }
  }
  for (const std::string_view host : split(rest, ',')) {
    std::string endpoint = scheme + std::string(host);
    if (!has_port(host)) endpoint += default_port;
    TRY(net::parse_url(endpoint), "store address");
    url.endpoints.push_back(std::move(endpoint));
  }
  if (url.endpoints.size() > max_endpoints) return bad("it has more than 64 hosts");
  return url;
}

}  // namespace auscult::store
