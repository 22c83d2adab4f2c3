// Request guard: a server without tokens and TLS answers programs of its host, not the pages that a
// browser on it has open.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "net/http.h"

namespace auscult::serve {

struct GuardRules {
  std::vector<std::string> names;  // beside those of loopback, without port
  bool any_name = false;           // whoever asks has to prove who they are
  bool https = false;              // what the pages of this server begin with
};

// Why the request is refused, or nothing. A page of another site can make a browser post to
// loopback (the browser then says so in Origin), and a name of its own can be made to point there
// (Host).
std::optional<std::string> why_refused(const net::Request& request, const GuardRules& rules);

}  // namespace auscult::serve
