// Server: store, ingest, alerting, diagnosis and API in one process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "serve/locks.h"
#include "serve/prometheus_sync.h"
#include "serve/scrape_config.h"
#include "store/series_catalog.h"

namespace auscult::serve {

struct ServeOptions {
  std::filesystem::path data;
  std::filesystem::path library;  // libchdb.so; empty: looked for
  std::string store;              // "http://user@host:8123?cluster=c"; empty: embedded, in data
  std::string store_password;     // wins over the file
  std::filesystem::path store_password_file;
  std::filesystem::path faults;       // folder of *.yaml; empty: the built-in catalogue
  std::string address = "127.0.0.1";  // "localhost" is 127.0.0.1; beyond loopback: with locks only
  std::vector<std::string> names;     // that clients may call it by, beside those of loopback
  LockOptions locks;
  store::CatalogOptions series;  // how many series there may be
  bool redact = true;            // take what looks like a secret out of what is stored
  uint16_t otlp_port = 4318;     // OTLP/HTTP; 0: any free one
  uint16_t grpc_port = 4317;     // OTLP/gRPC; 0: any free one
  uint16_t http_port = 9494;
  bool experiments = true;          // the kill switch on this side: false only looks
  std::string program = "auscult";  // for rerun commands
  std::vector<ScrapeJob> scrape;    // what the server itself fetches
  std::vector<SyncOptions> sync;    // Prometheus servers whose samples it keeps
};

// From a YAML file; unknown keys are errors with file, line and the nearest right key. What the
// file does not set stays as it is in `options`.
Result<Ok> read_serve_options(const std::filesystem::path& file, ServeOptions& options);

// What a running server says of itself in <data>/server.json.
struct ServerAddress {
  int64_t pid = 0;
  std::string address;
  bool tls = false;
  uint16_t otlp_port = 0;
  uint16_t grpc_port = 0;
  uint16_t http_port = 0;
};
// The server that runs on this data folder; not_found when there is none, whatever a killed one
// left in server.json. Asks it who it is, for at most 5 s; not under TLS, where its certificate
// says.
Result<ServerAddress> find_server(const std::filesystem::path& data);

// Of its API: "http://127.0.0.1:9494".
std::string url_of(const ServerAddress& address);

class Server {
 public:
  static Result<std::unique_ptr<Server>> start(const ServeOptions& options, const Clock& clock);
  virtual ~Server() = default;  // stops in order; what was acknowledged is stored
  virtual ServerAddress address() const = 0;
  virtual std::string public_key_base64() const = 0;
};

}  // namespace auscult::serve
