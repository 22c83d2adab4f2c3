// Target scrape: fetches the page of one target and writes it to the store, with what the scrape
// itself found out: up, scrape_duration_seconds, scrape_samples_scraped.
// Source: scrape/scrape.go of Prometheus, scrapeAndReport() and append().
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <semaphore>
#include <string>
#include <vector>

#include "base/clock.h"
#include "net/client.h"
#include "serve/scrape_config.h"
#include "store/store.h"
#include "wire/exposition.h"

namespace auscult::serve {

struct ScrapeStats {
  std::atomic<uint64_t> targets{0};  // now
  std::atomic<uint64_t> scrapes{0};
  std::atomic<uint64_t> failed{0};    // of these: up is 0
  std::atomic<uint64_t> skipped{0};   // beats at which the last scrape was not done yet
  std::atomic<uint64_t> samples{0};   // stored
  std::atomic<uint64_t> rejected{0};  // samples that cannot be stored
  std::atomic<uint64_t> lost{0};      // samples that the store did not take
};

// What all scrapes share.
struct ScrapeWorld {
  // Pages that are unpacked and decoded at once: they need a processor, not patience.
  static constexpr int max_decoding = 4;
  using Decoders = std::counting_semaphore<max_decoding>;

  store::Store& store;
  const Clock& clock;
  ScrapeStats stats{};
  std::atomic<bool> stopping{false};
  Decoders decoders{max_decoding};
};

// The value that says: this series ends here. Prometheus's value.StaleNaN.
inline constexpr double stale_marker = std::bit_cast<double>(uint64_t{0x7ff0000000000002});

// One thread at a time, except for cancel().
class TargetScrape {
 public:
  static constexpr size_t max_page_bytes = size_t{64} << 20U;  // also unpacked

  // `world` is borrowed. invalid_input: the target's URL.
  static Result<std::unique_ptr<TargetScrape>> create(Target target, ScrapeWorld& world);

  // Scrapes once and waits until the store has it. Series that the last page had and this one has
  // not, all of them when it fails, get a staleness marker.
  void run();

  // The target is gone: markers for all that it had.
  void end();

  // Any thread. Ends a run that waits for its page; with world.stopping it leaves nothing behind.
  void cancel() { client_.cancel(); }

 private:
  TargetScrape(Target target, net::HttpClient client, ScrapeWorld& world);

  Result<wire::Exposition> fetch(int64_t now_ms);
  Result<wire::Exposition> decode(const net::Response& response, int64_t now_ms);
  void mark_vanished(const std::vector<const model::Series*>& seen, int64_t now_ms,
                     model::Points& points) const;
  void report(std::string_view metric, double value, int64_t now_ms, model::Points& points) const;
  bool write(model::Points points);
  void tell(const std::string& problem);

  const Target target_;
  const wire::ScrapeTarget labels_;
  net::HttpClient client_;
  net::Headers headers_;
  ScrapeWorld& world_;
  // Of the last page that was stored, in its order; those whose time was the page's own are not
  // among them.
  std::vector<const model::Series*> last_seen_;
  std::chrono::nanoseconds last_seen_at_{};
  std::string problem_;  // logged already
};

}  // namespace auscult::serve
