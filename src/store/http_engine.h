// The engine of a ClickHouse server or cluster elsewhere, over its HTTP interface.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "store/engine.h"
#include "store/store_url.h"

namespace auscult::store {

struct HttpEngineOptions {
  StoreUrl url;
  std::string password;
  std::chrono::milliseconds timeout{120'000};      // of a request, connecting included
  uint64_t max_memory_bytes = uint64_t{2} << 30U;  // of a query
};

// Creates database `auscult` if need be. Reads and inserts that a server did not answer are asked
// of the next one; other statements are sent once. `unavailable`: no server answers; invalid_input:
// what the server said of user, password or database.
Result<std::unique_ptr<Engine>> open_http(const HttpEngineOptions& options);

}  // namespace auscult::store
