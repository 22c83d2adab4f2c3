// Request targets: percent-decoding of path and query.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http.h"

namespace auscult::net {

struct Target {
  std::string path;
  Headers query;
};

// "/a%20b?x=1&y=a+b" or an absolute "http://host/a". A '+' means a blank in the query only. A '%'
// without two hexadecimal digits, or a target that is neither form nor "*", is invalid_input.
Result<Target> parse_target(std::string_view target);

}  // namespace auscult::net
