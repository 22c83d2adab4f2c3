// HaTracker: which of several Prometheus servers that scrape the same targets is listened to.
//
// The replicas of a pair send every sample twice, at slightly different times: both together would
// be a series that nobody measured. One is elected, the first that comes; another takes over when
// the elected one has been silent. As Cortex and Mimir do it, with the labels they use.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

#include "base/clock.h"

namespace auscult::serve {

// Thread-safe.
class HaTracker {
 public:
  static constexpr std::chrono::seconds takeover_after{30};
  // Beyond, the cluster that was silent longest is forgotten.
  static constexpr size_t max_clusters = 1000;

  explicit HaTracker(const Clock& clock) : clock_(clock) {}

  // True when the samples of this replica are to be stored. A request without a replica always is.
  bool accepts(const std::string& cluster, const std::string& replica);

 private:
  struct Elected {
    std::string replica;
    std::chrono::nanoseconds heard_at{0};
  };

  const Clock& clock_;
  std::mutex mutex_;
  std::map<std::string, Elected> clusters_;
};

}  // namespace auscult::serve
