#include "store/series_catalog.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <utility>

namespace auscult::store {
namespace {

constexpr std::chrono::seconds least_idle{3600};  // as SeriesIndex promises

// A client has one spelling, a few clients of one series have a few.
size_t max_keys(const CatalogOptions& options) { return 4 * options.max_series + 64 * 64; }

uint64_t random_seed() {
  std::random_device device;
  return uint64_t{device()} << 32U | device();
}

}  // namespace

struct SeriesCatalog::Maps {
  // Of the shards, so that decoding threads do not wait for each other.
  static constexpr size_t n_shards = 64;
  struct Shard {
    std::shared_mutex mutex;
    absl::flat_hash_map<model::SeriesKey, CatalogSeries*, Hash128Hasher> by_key;
  };
  std::array<Shard, n_shards> shards;
  Shard& shard_of(const model::SeriesKey& key) { return shards[key.high % n_shards]; }

  std::mutex mutex;  // guards what follows; taken before a shard's
  absl::flat_hash_map<uint64_t, std::unique_ptr<CatalogSeries>> by_id;
  absl::flat_hash_map<std::string, size_t> by_metric;  // number of series
};

SeriesCatalog::SeriesCatalog(const CatalogOptions& options, const Clock& clock, IdHash hash)
    : options_(options),
      clock_(clock),
      hash_(hash ? std::move(hash) : IdHash([](const model::Series& series, std::string_view name) {
        return model::series_id(series, name);
      })),
      seed_(random_seed()),
      maps_(std::make_unique<Maps>()) {}

SeriesCatalog::~SeriesCatalog() = default;

CatalogSeries& SeriesCatalog::entry(const model::Series& series) {
  // Every series that a catalogue gives out is one of its own, not const, objects.
  return static_cast<CatalogSeries&>(const_cast<model::Series&>(series));
}

int64_t SeriesCatalog::now_s() const {
  return std::chrono::duration_cast<std::chrono::seconds>(clock_.monotonic()).count();
}

const model::Series* SeriesCatalog::find(const model::SeriesKey& key) {
  auto& shard = maps_->shard_of(key);
  const std::shared_lock lock(shard.mutex);
  const auto found = shard.by_key.find(key);
  if (found == shard.by_key.end()) return nullptr;
  touch(*found->second);
  return found->second;
}

void SeriesCatalog::tick() { ticked_s_.store(now_s(), std::memory_order_relaxed); }

void SeriesCatalog::touch(CatalogSeries& series) const {
  // Written once a second and not at every look: the line stays shared between the cores.
  const int64_t now = ticked_s_.load(std::memory_order_relaxed);
  if (series.used_s.load(std::memory_order_relaxed) != now) {
    series.used_s.store(now, std::memory_order_relaxed);
  }
}

Result<const model::Series*> SeriesCatalog::add(const model::SeriesKey& key, model::Series series) {
  std::string text = identity(series);
  const std::lock_guard lock(maps_->mutex);
  CatalogSeries* held = nullptr;
  const size_t own_length = text.size();
  for (size_t attempt = 1; held == nullptr; ++attempt) {
    const uint64_t id = hash_(series, text);
    const auto found = maps_->by_id.find(id);
    if (found == maps_->by_id.end()) {
      if (auto room = check_room(series.metric); !room) {
        ++refused_;
        return std::move(room).error();
      }
      held = insert(std::move(series), id);
    } else if (found->second->metric == series.metric && found->second->tags == series.tags &&
               found->second->labels == series.labels) {
      held = found->second.get();
    } else {
      text.resize(own_length);
      text += "#" + std::to_string(attempt);
    }
  }
  tick();
  touch(*held);
  auto& shard = maps_->shard_of(key);
  const std::lock_guard shard_lock(shard.mutex);
  // One series can be spelled in endless ways. Forgotten keys come back with the next sample.
  if (shard.by_key.size() >= max_keys(options_) / Maps::n_shards) shard.by_key.clear();
  shard.by_key[key] = held;
  return held;
}

Result<CatalogSeries*> SeriesCatalog::restore(model::Series series, uint64_t announced_ms) {
  const std::lock_guard lock(maps_->mutex);
  if (maps_->by_id.contains(series.id)) {
    return Error{ErrorCode::corrupt,
                 "two series have the id " + std::to_string(series.id) + ": " + series.metric};
  }
  const uint64_t id = series.id;
  CatalogSeries* held = insert(std::move(series), id);
  held->announced_ms = announced_ms;
  tick();
  touch(*held);
  return held;
}

CatalogSeries* SeriesCatalog::insert(model::Series series, uint64_t id) {
  auto made = std::make_unique<CatalogSeries>();
  static_cast<model::Series&>(*made) = std::move(series);
  made->id = id;
  made->labels.shrink_to_fit();
  ++maps_->by_metric[made->metric];
  return (maps_->by_id[id] = std::move(made)).get();
}

CatalogSeries* SeriesCatalog::by_id(uint64_t id) const {
  const std::lock_guard lock(maps_->mutex);
  const auto found = maps_->by_id.find(id);
  return found == maps_->by_id.end() ? nullptr : found->second.get();
}

Result<Ok> SeriesCatalog::check_room(const std::string& metric) const {
  if (maps_->by_id.size() >= options_.max_series) return full(metric);
  const auto count = maps_->by_metric.find(metric);
  if (count == maps_->by_metric.end() || count->second < options_.max_series_per_metric)
    return Ok{};
  return Error{ErrorCode::invalid_input, "no room for a new series of " + metric +
                                             ": the limit of a metric is " +
                                             std::to_string(options_.max_series_per_metric) +
                                             " series; which of its labels counts on and on?"};
}

Error SeriesCatalog::full(const std::string& metric) const {
  const auto largest =
      std::max_element(maps_->by_metric.begin(), maps_->by_metric.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  std::string message = "no room for a new series of " + metric + ": the limit is " +
                        std::to_string(options_.max_series) + " series";
  if (largest != maps_->by_metric.end()) {
    message += "; " + largest->first + " has the most, " + std::to_string(largest->second);
  }
  return {ErrorCode::invalid_input, message};
}

size_t SeriesCatalog::forget_idle(std::chrono::seconds idle,
                                  const std::function<bool(const CatalogSeries&)>& is_unused) {
  const int64_t before_s = now_s() - std::max(idle, least_idle).count();
  const auto is_idle = [&](const CatalogSeries& series) {
    return series.used_s.load(std::memory_order_relaxed) < before_s && is_unused(series);
  };
  const std::lock_guard lock(maps_->mutex);
  for (auto& shard : maps_->shards) {
    const std::lock_guard shard_lock(shard.mutex);
    absl::erase_if(shard.by_key, [&](const auto& item) { return is_idle(*item.second); });
  }
  return absl::erase_if(maps_->by_id, [&](const auto& item) {
    if (!is_idle(*item.second)) return false;
    const auto count = maps_->by_metric.find(item.second->metric);
    if (--count->second == 0) maps_->by_metric.erase(count);
    return true;
  });
}

size_t SeriesCatalog::size() const {
  const std::lock_guard lock(maps_->mutex);
  return maps_->by_id.size();
}

std::vector<SeriesCatalog::MetricCount> SeriesCatalog::largest_metrics(size_t n) const {
  std::vector<MetricCount> all;
  {
    const std::lock_guard lock(maps_->mutex);
    all.reserve(maps_->by_metric.size());
    for (const auto& [metric, count] : maps_->by_metric) all.push_back({metric, count});
  }
  std::sort(all.begin(), all.end(), [](const MetricCount& a, const MetricCount& b) {
    return a.n_series != b.n_series ? a.n_series > b.n_series : a.metric < b.metric;
  });
  if (all.size() > n) all.resize(n);
  return all;
}

}  // namespace auscult::store
