// SeriesCatalog: one object for every series in use, found by the bytes that name it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "model/series.h"
#include "store/hot_samples.h"

namespace auscult::store {

struct CatalogOptions {
  // About 1 KB each with ten labels, without samples. Beyond, new series are refused.
  size_t max_series = 4'000'000;
  // One label that counts (a request id, a step) must not take the room of all other metrics.
  size_t max_series_per_metric = 2'000'000;
};

// What the store knows of a series beside its name.
struct CatalogSeries : model::Series {
  // When its row was last written to the table of series, ms since the epoch; 0: never. Of the
  // writer's thread.
  uint64_t announced_ms = 0;
  // When it was last looked up, in seconds of the monotonic clock.
  std::atomic<int64_t> used_s{0};
  // Of the HotStore: the samples, the series' number in its index, and whether it has one.
  HotSamples hot;
  uint32_t number = 0;
  std::atomic<bool> is_hot{false};
};

// Ids are hashes of the identity. Should two series have one hash, the later one gets the hash of
// its identity with a number behind it. Which of two came first is kept by the table of series,
// from which the catalogue is filled at start.
//
// Thread-safe. A series is forgotten by forget_idle() only, keys also when there are several times
// as many as series may be.
class SeriesCatalog : public model::SeriesIndex {
 public:
  // `hash` is another one in tests of equal hashes only.
  using IdHash = std::function<uint64_t(const model::Series& series, std::string_view name)>;
  explicit SeriesCatalog(const CatalogOptions& options, const Clock& clock, IdHash hash = {});
  ~SeriesCatalog() override;

  // The object behind a series of this catalogue.
  static CatalogSeries& entry(const model::Series& series);

  uint64_t seed() const override { return seed_; }
  const model::Series* find(const model::SeriesKey& key) override;
  Result<const model::Series*> add(const model::SeriesKey& key, model::Series series) override;

  // How often add() found no room.
  uint64_t refused() const { return refused_; }

  // As a look-up: the series is in use.
  void touch(CatalogSeries& series) const;

  // What a look-up notes as its time is as new as the last call of this: reading a clock for each
  // would cost a tenth of it. Every minute or so is enough.
  void tick();

  // A row of the table of series: the id is the series' own, whatever it hashes to. Call before
  // the first add(). Invalid: another series has the id.
  Result<CatalogSeries*> restore(model::Series series, uint64_t announced_ms);

  // Null: no series has this id.
  CatalogSeries* by_id(uint64_t id) const;

  // Forgets series that nobody looked up for `idle`, at least an hour, and for which `is_unused`
  // says yes. Returns how many.
  size_t forget_idle(std::chrono::seconds idle,
                     const std::function<bool(const CatalogSeries&)>& is_unused);

  size_t size() const;

  // The metrics with the most series, falling.
  struct MetricCount {
    std::string metric;
    size_t n_series = 0;
  };
  std::vector<MetricCount> largest_metrics(size_t n) const;

 private:
  struct Maps;
  int64_t now_s() const;
  // Calls with the maps' mutex held.
  CatalogSeries* insert(model::Series series, uint64_t id);
  Result<Ok> check_room(const std::string& metric) const;
  Error full(const std::string& metric) const;

  const CatalogOptions options_;
  const Clock& clock_;
  const IdHash hash_;
  const uint64_t seed_;
  const std::unique_ptr<Maps> maps_;
  std::atomic<uint64_t> refused_{0};
  std::atomic<int64_t> ticked_s_{0};
};

}  // namespace auscult::store
