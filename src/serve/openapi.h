// OpenAPI: the API described by its own table of endpoints; docs/openapi.json is this, kept equal
// by a test.
#pragma once

#include <vector>

#include "base/json.h"
#include "serve/route.h"

namespace auscult::serve {

// OpenAPI 3.1: paths, methods, path parameters, summaries, the shape of an error.
Json openapi(const std::vector<Endpoint>& endpoints);

}  // namespace auscult::serve
