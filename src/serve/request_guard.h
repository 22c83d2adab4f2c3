// Request guard: a server on loopback answers programs of this host, not the pages that a browser
// on it has open.
#pragma once

#include <optional>
#include <string>

#include "net/http.h"

namespace auscult::serve {

// Why the request is refused, or nothing. A page of another site can make a browser post to
// loopback (the browser then says so in Origin), and a name of its own can be made to point there
// (Host).
std::optional<std::string> why_refused(const net::Request& request);

}  // namespace auscult::serve
