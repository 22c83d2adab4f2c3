#include "store/recent_batches.h"

#include <string>

#include "base/hash.h"

namespace auscult::store {

RecentBatches::Key RecentBatches::key_of(std::string_view id) {
  // Two hashes of different texts stand for one of 128 bits.
  return {.high = hash64(std::string("#") + std::string(id)), .low = hash64(id)};
}

void RecentBatches::add(std::string_view id, uint64_t committed_ms) {
  const Key key = key_of(id);
  if (keys_.insert(key).second) by_age_.push_back({key, committed_ms});
  while (!by_age_.empty() &&
         (by_age_.size() > max_ || by_age_.front().committed_ms + window_ms < committed_ms)) {
    keys_.erase(by_age_.front().key);
    by_age_.pop_front();
  }
}

}  // namespace auscult::store
