// HotStore: the last hours of every series in memory, for rules and queries that cannot wait.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "model/matcher.h"
#include "store/label_index.h"
#include "store/series_catalog.h"

namespace auscult::store {

struct HotOptions {
  std::chrono::milliseconds window = std::chrono::hours(2);
  // A sample further ahead of this machine's clock is not kept: it would stay until its time comes.
  std::chrono::milliseconds max_ahead = std::chrono::minutes(10);
  // Read what the database has of the window when a store is opened. A command that asks one thing
  // and ends has no use for it.
  bool load = true;
};

struct HotSeries {
  // Lives at least an hour longer than the call that gave it.
  const model::Series* series = nullptr;
  std::vector<int64_t> timestamps_ms;  // ascending
  std::vector<double> values;          // staleness markers among them, bit for bit
};

struct HotStats {
  size_t series = 0;
  size_t samples = 0;
  size_t bytes = 0;  // of the samples, without names and labels
};

// Thread-safe. Writers of different series hardly wait for each other, readers never for writers
// of other series.
class HotStore {
 public:
  HotStore(SeriesCatalog& catalog, const HotOptions& options, const Clock& clock);

  // Points that are committed, of the catalogue's series. Of two samples of one time the later call
  // wins. Samples outside the window are not kept.
  void append(const model::Points& points);
  void append(CatalogSeries& series, int64_t timestamp_ms, double value);

  // The series whose labels fit and that have samples in [begin_ms, end_ms), in no order. At most
  // `max_samples` in all: beyond, invalid_input says so. Also for a regular expression that is
  // none.
  Result<std::vector<HotSeries>> select(std::span<const model::Matcher> matchers, int64_t begin_ms,
                                        int64_t end_ms, size_t max_samples) const;

  // Of the series that fit; sorted.
  Result<std::vector<const model::Series*>> series(std::span<const model::Matcher> matchers) const;
  std::vector<std::string> label_names() const;
  std::vector<std::string> label_values(std::string_view name) const;

  // Drops what is older than the window and forgets series that are gone. Call every minute or so.
  void expire();

  HotStats stats() const;
  // The oldest time that select() can know of.
  int64_t begin_ms() const;

 private:
  static constexpr size_t n_locks = 256;
  std::mutex& lock_of(const CatalogSeries& series) const { return locks_[series.id % n_locks]; }
  int64_t now_ms() const;
  void index(CatalogSeries& series);
  Result<std::vector<CatalogSeries*>> matching(std::span<const model::Matcher> matchers) const;

  SeriesCatalog& catalog_;
  const HotOptions options_;
  const Clock& clock_;
  // Each guards the samples of the series whose id falls on it. Taken after index_mutex_.
  mutable std::array<std::mutex, n_locks> locks_;

  mutable std::shared_mutex index_mutex_;  // guards what follows
  LabelIndex index_;
  std::vector<CatalogSeries*> by_number_;  // null: free
  std::vector<uint32_t> free_numbers_;
};

}  // namespace auscult::store
