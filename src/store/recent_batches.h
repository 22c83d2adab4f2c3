// RecentBatches: the ids of batches that are committed, for as long as a client may send one again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <unordered_set>

namespace auscult::store {

// Holds 128-bit hashes of the ids: 1,000,000 take about 60 MB. One thread at a time.
class RecentBatches {
 public:
  static constexpr size_t max_batches = 1'000'000;
  static constexpr uint64_t window_ms = 86'400'000;

  // `max` is smaller in tests only.
  explicit RecentBatches(size_t max = max_batches) : max_(max) {}

  // Adds an id committed at the time, and forgets those that are older than the window or, the
  // oldest first, more than the maximum.
  void add(std::string_view id, uint64_t committed_ms);

  bool contains(std::string_view id) const { return keys_.contains(key_of(id)); }
  size_t size() const { return keys_.size(); }

 private:
  struct Key {
    uint64_t high;
    uint64_t low;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const { return key.low; }
  };
  struct Entry {
    Key key;
    uint64_t committed_ms;
  };
  static Key key_of(std::string_view id);

  const size_t max_;
  std::unordered_set<Key, Hash> keys_;
  std::deque<Entry> by_age_;
};

}  // namespace auscult::store
