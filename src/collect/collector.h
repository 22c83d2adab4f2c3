// Collector: reads one kind of thing from a host's /proc and /sys.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/named.h"
#include "base/result.h"
#include "model/sample.h"

namespace auscult::collect {

// Files of /proc that stay open between collections: opening them is a seventh of what a collection
// costs. One thread.
using OpenFiles = std::map<std::string, FileDescriptor, std::less<>>;

// The host to read: "/" or a recorded tree with proc/ and sys/ under it.
struct Host {
  std::filesystem::path root = "/";
  OpenFiles* open_files = nullptr;  // borrowed, or null
};

struct Collector {
  std::string_view summary;
  // Facts that change slowly are not read more often than this, however short the agent's interval;
  // 0: at every collection.
  std::chrono::milliseconds period{0};

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

// collect_all() again and again, every collector at its own pace.
class Schedule {
 public:
  // As collect_all(), of the collectors that are due. `now` is monotonic.
  Collection collect(const Host& host, const model::Tags& tags, int64_t now_ns,
                     std::chrono::nanoseconds now);

 private:
  std::map<std::string_view, std::chrono::nanoseconds> ran_at_;
  OpenFiles open_files_;
};

}  // namespace auscult::collect
