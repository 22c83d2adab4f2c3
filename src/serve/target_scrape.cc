#include "serve/target_scrape.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/hash.h"
#include "base/log.h"
#include "base/text.h"
#include "wire/compression.h"
#include "wire/prometheus_series.h"

namespace auscult::serve {
namespace {

using model::Series;

// As Prometheus asks: OpenMetrics first.
constexpr std::string_view accept =
    "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
    "text/plain;version=0.0.4;q=0.5,*/*;q=0.1";

// A page with more is cut there, and the scrape fails.
constexpr size_t max_samples = 1'000'000;

// The index keeps a series for an hour behind its last use; what was last seen longer ago than this
// is forgotten without a marker (the store has been refusing writes all the time).
constexpr std::chrono::minutes max_memory{45};

class DecoderSlot {
 public:
  explicit DecoderSlot(ScrapeWorld::Decoders& decoders) : decoders_(decoders) {
    decoders_.acquire();
  }
  ~DecoderSlot() { decoders_.release(); }
  DecoderSlot(const DecoderSlot&) = delete;
  DecoderSlot& operator=(const DecoderSlot&) = delete;

 private:
  ScrapeWorld::Decoders& decoders_;
};

// Samples that bear the page's own times are none of a scrape's, and end without a marker.
std::vector<const Series*> seen_in(const model::Points& points, int64_t now_ms) {
  std::vector<const Series*> seen;
  seen.reserve(points.size());
  for (size_t i = 0; i < points.size(); ++i) {
    if (points.timestamps_ms[i] == now_ms) seen.push_back(points.series[i]);
  }
  return seen;
}

}  // namespace

Result<std::unique_ptr<TargetScrape>> TargetScrape::create(Target target, ScrapeWorld& world) {
  auto client = TRY(net::HttpClient::create(target.base, max_page_bytes));
  return std::unique_ptr<TargetScrape>(
      new TargetScrape(std::move(target), std::move(client), world));
}

TargetScrape::TargetScrape(Target target, net::HttpClient client, ScrapeWorld& world)
    : target_(std::move(target)),
      labels_{.labels = target_.labels, .honor_labels = target_.honor_labels},
      client_(std::move(client)),
      headers_{{"Accept", std::string(accept)},
               {"Accept-Encoding", "gzip"},
               {"User-Agent", "Auscult"},
               {"X-Prometheus-Scrape-Timeout-Seconds",
                format_number(static_cast<double>(target_.timeout.count()) / 1e3)}},
      world_(world) {}

Result<wire::Exposition> TargetScrape::fetch(int64_t now_ms) {
  const auto response = TRY(client_.request("GET", target_.path, headers_, "", target_.timeout));
  if (response.status != 200) {
    return Error{ErrorCode::unavailable, "GET " + target_.base + target_.path + ": HTTP status " +
                                             std::to_string(response.status)};
  }
  auto page = decode(response, now_ms);
  if (!page) return std::move(page).error().during("GET " + target_.base + target_.path);
  return page;
}

Result<wire::Exposition> TargetScrape::decode(const net::Response& response, int64_t now_ms) {
  const DecoderSlot slot(world_.decoders);
  const std::string unpacked = TRY(wire::decompress(
      net::header(response.headers, "Content-Encoding"), response.body, max_page_bytes));
  auto page = TRY(wire::decode_exposition(
      unpacked, wire::exposition_format(net::header(response.headers, "Content-Type")), labels_,
      {.now_ms = now_ms, .honor_timestamps = target_.honor_timestamps, .max_samples = max_samples},
      world_.store.series()));
  const uint64_t n_samples = page.points.size() + page.rejected.samples;
  const uint64_t limit = target_.sample_limit == 0 ? max_samples : target_.sample_limit;
  if (n_samples > limit) {
    return Error{ErrorCode::invalid_input,
                 std::to_string(n_samples) + " samples, the limit is " + std::to_string(limit)};
  }
  return page;
}

void TargetScrape::mark_vanished(const std::vector<const Series*>& seen, int64_t now_ms,
                                 model::Points& points) const {
  if (seen == last_seen_ || world_.clock.monotonic() - last_seen_at_ > max_memory) return;
  auto before = last_seen_;
  auto now = seen;
  std::sort(before.begin(), before.end());
  std::sort(now.begin(), now.end());
  before.erase(std::unique(before.begin(), before.end()), before.end());
  std::vector<const Series*> vanished;
  std::set_difference(before.begin(), before.end(), now.begin(), now.end(),
                      std::back_inserter(vanished));
  for (const Series* series : vanished) points.push_back(series, now_ms, stale_marker);
}

void TargetScrape::report(std::string_view metric, double value, int64_t now_ms,
                          model::Points& points) const {
  model::SeriesIndex& index = world_.store.series();
  model::Labels labels = target_.labels;
  labels.emplace_back("__name__", metric);
  std::sort(labels.begin(), labels.end());
  const auto key = hash128(model::identity({.labels = labels}), wire::key_seed(index, "report"));
  const Series* series = index.find(key);
  if (series == nullptr) {
    const auto added = index.add(key, wire::series_from(labels, wire::MetricType::gauge));
    if (!added) return;  // the index is full, which the page's own series have said already
    series = *added;
  }
  points.push_back(series, now_ms, value);
}

void TargetScrape::run() {
  const int64_t now_ms = world_.clock.now_ns() / 1'000'000;
  const auto begin = world_.clock.monotonic();
  auto page = fetch(now_ms);
  if (world_.stopping) return;
  const std::chrono::duration<double> duration = world_.clock.monotonic() - begin;
  ++world_.stats.scrapes;
  if (!page) ++world_.stats.failed;
  tell(page ? page->rejected.message : page.error().message);

  model::Points points;
  size_t n_samples = 0;
  if (page) {
    points = std::move(page->points);
    n_samples = points.size() + page->rejected.samples;
    world_.stats.rejected += page->rejected.samples;
  }
  auto seen = seen_in(points, now_ms);
  mark_vanished(seen, now_ms, points);
  report("up", page ? 1 : 0, now_ms, points);
  report("scrape_duration_seconds", duration.count(), now_ms, points);
  report("scrape_samples_scraped", static_cast<double>(n_samples), now_ms, points);
  if (!write(std::move(points))) return;
  last_seen_ = std::move(seen);
  last_seen_at_ = begin;
}

void TargetScrape::end() {
  const int64_t now_ms = world_.clock.now_ns() / 1'000'000;
  model::Points points;
  mark_vanished({}, now_ms, points);
  for (const char* metric : {"up", "scrape_duration_seconds", "scrape_samples_scraped"}) {
    report(metric, stale_marker, now_ms, points);
  }
  write(std::move(points));
}

bool TargetScrape::write(model::Points points) {
  const uint64_t n_samples = points.size();
  store::Batch batch;
  batch.points = std::move(points);
  const auto written = world_.store.write_and_wait(std::move(batch));
  (written ? world_.stats.samples : world_.stats.lost) += n_samples;
  return static_cast<bool>(written);
}

void TargetScrape::tell(const std::string& problem) {
  if (problem == problem_) return;
  if (problem.empty()) {
    log_info("scrape of " + target_.base + target_.path + " succeeds again");
  } else {
    log_warning("scrape: " + problem);
  }
  problem_ = problem;
}

}  // namespace auscult::serve
