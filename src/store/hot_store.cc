#include "store/hot_store.h"

#include <algorithm>

namespace auscult::store {
namespace {

constexpr int64_t ns_per_ms = 1'000'000;

}  // namespace

HotStore::HotStore(SeriesCatalog& catalog, const HotOptions& options, const Clock& clock)
    : catalog_(catalog), options_(options), clock_(clock) {}

int64_t HotStore::now_ms() const { return clock_.now_ns() / ns_per_ms; }

int64_t HotStore::begin_ms() const { return now_ms() - options_.window.count(); }

void HotStore::append(const model::Points& points) {
  catalog_.tick();
  const int64_t begin = begin_ms();
  const int64_t end = now_ms() + options_.max_ahead.count();
  for (size_t i = 0; i < points.size(); ++i) {
    const int64_t time = points.timestamps_ms[i];
    if (time < begin || time > end) continue;
    append(SeriesCatalog::entry(*points.series[i]), time, points.values[i]);
  }
}

void HotStore::append(CatalogSeries& series, int64_t timestamp_ms, double value) {
  if (!series.is_hot.load(std::memory_order_acquire)) index(series);
  const std::lock_guard lock(lock_of(series));
  series.hot.append(timestamp_ms, value);
}

void HotStore::index(CatalogSeries& series) {
  const std::lock_guard lock(index_mutex_);
  if (series.is_hot.load(std::memory_order_relaxed)) return;
  if (free_numbers_.empty()) {
    free_numbers_.push_back(static_cast<uint32_t>(by_number_.size()));
    by_number_.push_back(nullptr);
  }
  series.number = free_numbers_.back();
  free_numbers_.pop_back();
  by_number_[series.number] = &series;
  index_.add(series.number, series);
  series.is_hot.store(true, std::memory_order_release);
}

// Call with index_mutex_ held.
Result<std::vector<CatalogSeries*>> HotStore::matching(
    std::span<const model::Matcher> matchers) const {
  catalog_.tick();
  const std::vector<uint32_t> numbers = TRY(index_.select(matchers));
  std::vector<CatalogSeries*> found;
  found.reserve(numbers.size());
  for (const uint32_t number : numbers) {
    catalog_.touch(*by_number_[number]);
    found.push_back(by_number_[number]);
  }
  return found;
}

Result<std::vector<HotSeries>> HotStore::select(std::span<const model::Matcher> matchers,
                                                int64_t begin_ms, int64_t end_ms,
                                                size_t max_samples) const {
  const std::shared_lock index_lock(index_mutex_);
  const std::vector<CatalogSeries*> found = TRY(matching(matchers));
  std::vector<HotSeries> all;
  all.reserve(found.size());
  size_t n_samples = 0;
  for (const CatalogSeries* series : found) {
    HotSeries one{.series = series, .timestamps_ms = {}, .values = {}};
    {
      const std::lock_guard lock(lock_of(*series));
      series->hot.read(begin_ms, end_ms, one.timestamps_ms, one.values);
    }
    if (one.values.empty()) continue;
    n_samples += one.values.size();
    if (n_samples > max_samples) {
      return Error{ErrorCode::invalid_input, "the query reads more than " +
                                                 std::to_string(max_samples) +
                                                 " samples: narrow its matchers or its time"};
    }
    all.push_back(std::move(one));
  }
  return all;
}

Result<std::vector<const model::Series*>> HotStore::series(
    std::span<const model::Matcher> matchers) const {
  const std::shared_lock lock(index_mutex_);
  const std::vector<CatalogSeries*> found = TRY(matching(matchers));
  return std::vector<const model::Series*>(found.begin(), found.end());
}

std::vector<std::string> HotStore::label_names() const {
  const std::shared_lock lock(index_mutex_);
  return index_.label_names();
}

std::vector<std::string> HotStore::label_values(std::string_view name) const {
  const std::shared_lock lock(index_mutex_);
  return index_.label_values(name);
}

void HotStore::expire() {
  const int64_t begin = begin_ms();
  {
    const std::lock_guard index_lock(index_mutex_);
    std::vector<uint32_t> gone;
    for (CatalogSeries* series : by_number_) {
      if (series == nullptr) continue;
      const std::lock_guard lock(lock_of(*series));
      series->hot.drop_before(begin);
      if (!series->hot.empty()) continue;
      // A writer that saw is_hot may be waiting for the lock: its sample is found again when the
      // next one indexes the series.
      series->is_hot.store(false, std::memory_order_release);
      gone.push_back(series->number);
    }
    index_.remove(gone);
    for (const uint32_t number : gone) by_number_[number] = nullptr;
    free_numbers_.insert(free_numbers_.end(), gone.begin(), gone.end());
  }
  catalog_.forget_idle(std::chrono::duration_cast<std::chrono::seconds>(options_.window),
                       [](const CatalogSeries& series) {
                         return !series.is_hot.load(std::memory_order_acquire) &&
                                series.hot.empty();
                       });
}

HotStats HotStore::stats() const {
  HotStats stats;
  const std::shared_lock index_lock(index_mutex_);
  for (const CatalogSeries* series : by_number_) {
    if (series == nullptr) continue;
    const std::lock_guard lock(lock_of(*series));
    ++stats.series;
    stats.samples += series->hot.size();
    stats.bytes += series->hot.bytes();
  }
  return stats;
}

}  // namespace auscult::store
