#include "serve/ha_tracker.h"

#include <algorithm>

namespace auscult::serve {

bool HaTracker::accepts(const std::string& cluster, const std::string& replica) {
  if (replica.empty()) return true;
  const auto now = clock_.monotonic();
  const std::lock_guard lock(mutex_);
  const auto found = clusters_.find(cluster);
  if (found == clusters_.end()) {
    if (clusters_.size() >= max_clusters) {
      clusters_.erase(std::min_element(
          clusters_.begin(), clusters_.end(),
          [](const auto& a, const auto& b) { return a.second.heard_at < b.second.heard_at; }));
    }
    clusters_[cluster] = {.replica = replica, .heard_at = now};
    return true;
  }
  Elected& elected = found->second;
  if (elected.replica != replica) {
    if (now - elected.heard_at < takeover_after) return false;
    elected.replica = replica;
  }
  elected.heard_at = now;
  return true;
}

}  // namespace auscult::serve
