// OTLP/HTTP: POST /v1/metrics, /v1/logs, /v1/traces, answered as the OTLP specification has it: 200
// only after the rows are committed, with a partial success where some cannot be stored.
#pragma once

#include "net/server.h"
#include "serve/ingest.h"

namespace auscult::serve {

// Does not block.
void handle_otlp(net::Request request, const net::Reply& reply, Ingest& ingest);

}  // namespace auscult::serve
