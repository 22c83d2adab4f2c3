// Self metrics: what the server knows of itself, as Prometheus text.
#pragma once

#include <string>
#include <vector>

#include "grpc/front.h"
#include "net/server.h"
#include "redact/redactor.h"
#include "serve/ingest.h"
#include "serve/sync_service.h"
#include "serve/target_scrape.h"
#include "store/store.h"

namespace auscult::serve {

struct SelfView {
  store::Store& store;
  const IngestStats& ingest;
  const redact::Redactor* redactor = nullptr;  // null: nothing is redacted
  const net::HttpServer* otlp = nullptr;  // null while the server starts and stops, as the others
  const net::HttpServer* http = nullptr;
  const grpc::Front* grpc = nullptr;
  const ScrapeStats* scrape = nullptr;  // null also where nothing is scraped
  std::vector<SyncState> sync;
};

std::string self_metrics(const SelfView& view);

}  // namespace auscult::serve
