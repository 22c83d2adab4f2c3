// Self metrics: what the server knows of itself, as Prometheus text.
#pragma once

#include <string>

#include "net/server.h"
#include "serve/ingest.h"
#include "store/store.h"

namespace auscult::serve {

// `otlp` and `http` may be null.
std::string self_metrics(const store::Store& store, const IngestStats& ingest,
                         const net::HttpServer* otlp, const net::HttpServer* http);

}  // namespace auscult::serve
