#include "serve/openapi.h"

#include <algorithm>

#include "base/text.h"

namespace auscult::serve {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

Json path_parameters(std::string_view path) {
  Json parameters{Json::Array{}};
  for (const auto piece : split(path, '/')) {
    if (!piece.starts_with('{')) continue;
    parameters.push(Json(Json::Object{{"name", piece.substr(1, piece.size() - 2)},
                                      {"in", "path"},
                                      {"required", true},
                                      {"schema", Json(Json::Object{{"type", "string"}})}}));
  }
  return parameters;
}

Json described(std::string_view description) {
  return Json(Json::Object{{"description", description}});
}

}  // namespace

Json openapi(const std::vector<Endpoint>& endpoints) {
  auto sorted = endpoints;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Endpoint& a, const Endpoint& b) { return a.path < b.path; });
  Json paths{Json::Object{}};
  for (const Endpoint& endpoint : sorted) {
    Json operation{Json::Object{}};
    operation.set("summary", endpoint.summary)
        .set("parameters", path_parameters(endpoint.path))
        .set("responses",
             Json(Json::Object{{"200", described("done")},
                               {"default", described("an object whose member 'error' says what "
                                                     "happened and what to do")}}));
    if (endpoint.role != Role::open) {
      // OpenAPI 3.1 lists the roles of a bearer token here.
      Json roles{Json::Array{}};
      roles.push(to_text(endpoint.role));
      Json security{Json::Array{}};
      security.push(Json(Json::Object{{"token", std::move(roles)}}));
      operation.set("security", std::move(security));
    }
    Json item = paths[endpoint.path];
    item.set(lower(endpoint.method), std::move(operation));
    paths.set(endpoint.path, std::move(item));
  }
  Json token(Json::Object{{"type", "http"},
                          {"scheme", "bearer"},
                          {"description", "asked for where the server has tokens"}});
  Json components(
      Json::Object{{"securitySchemes", Json(Json::Object{{"token", std::move(token)}})}});
  return Json(Json::Object{{"openapi", "3.1.0"},
                           {"info", Json(Json::Object{{"title", "Auscult"}, {"version", "v1"}})},
                           {"components", std::move(components)},
                           {"paths", std::move(paths)}});
}

}  // namespace auscult::serve
