// OTLP/HTTP: POST /v1/metrics, /v1/logs, /v1/traces, answered as the OTLP specification has it: 200
// only after the rows are committed, with a partial success where some cannot be stored.
#pragma once

#include <optional>

#include "net/server.h"
#include "serve/access.h"
#include "serve/ingest.h"

namespace auscult::serve {

// Does not block.
void handle_otlp(net::Request request, const net::Reply& reply, Ingest& ingest);

// 401 or 403, in the encoding of the request, to who may not deliver; nothing for who may.
std::optional<net::Response> otlp_denial(const net::Request& request, const Access& access);

}  // namespace auscult::serve
