// Collector: reads one kind of thing from a host's /proc and /sys.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/named.h"
#include "base/result.h"
#include "model/sample.h"

namespace auscult::collect {

// The host to read: "/" or a recorded tree with proc/ and sys/ under it.
struct Host {
  std::filesystem::path root = "/";
};

struct Collector {
  std::string_view summary;
  std::chrono::milliseconds period{15'000};  // the agent may run everything faster

  // Samples without time and tags: the agent adds both. A host that lacks the thing gives none:
  // that is a fact, not an error.
  Result<model::Samples> (*read)(const Host& host) = nullptr;
};

std::vector<Named<Collector>> all_collectors();

struct Collection {
  model::Samples samples;
  uint64_t failures = 0;            // collectors that failed; the agent adds them up in
                                    // `auscult_collector_failures_total`
  std::vector<std::string> errors;  // one for each, "<collector>: <message>"
};

// Runs every collector once, stamps the samples, and adds `auscult_collector_success{collector}`
// (1 or 0) and `auscult_collector_duration_seconds`; for the host itself also `node_time_seconds`.
Collection collect_all(const Host& host, const model::Tags& tags, int64_t now_ns);

}  // namespace auscult::collect
