// Scraper: fetches the pages of all targets, each at its own beat.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/loop.h"
#include "base/worker_pool.h"
#include "serve/target_discovery.h"
#include "serve/target_scrape.h"
#include "store/store.h"

namespace auscult::serve {

// A target's beats lie at a place within its interval that a hash of it decides, so that they
// spread, and that stays over restarts. A beat that comes while the last scrape is not done is
// skipped. The connection to a target is kept.
class Scraper {
 public:
  // Scrapes that run at once; most of their time they wait for a target, in the worst case for as
  // long as the time-out.
  static constexpr size_t max_running = 128;

  // Store and clock are borrowed. Begins at once.
  Scraper(std::vector<ScrapeJob> jobs, store::Store& store, const Clock& clock);

  // Ends what runs, without a trace in the store.
  ~Scraper();

  // Thread-safe.
  const ScrapeStats& stats() const { return world_.stats; }

 private:
  using Nanoseconds = std::chrono::nanoseconds;
  struct Entry {
    std::unique_ptr<TargetScrape> scrape;
    Nanoseconds interval{};
    Nanoseconds due{};  // by the monotonic clock
    std::atomic<bool> busy{false};
    bool ended = false;  // its markers are written, or are on their way
  };

  void run(const std::stop_token& stop);
  void update_targets();
  void add(const std::string& key, const Target& target);
  void end_leaving();
  Nanoseconds start_due();
  bool start(Entry& entry, void (TargetScrape::*work)());

  ScrapeWorld world_;
  TargetDiscovery discovery_;
  std::map<std::string, std::unique_ptr<Entry>> entries_;
  std::map<std::string, std::unique_ptr<Entry>> leaving_;  // out of discovery, not yet ended
  std::set<std::pair<Nanoseconds, Entry*>> by_due_;        // of entries_
  Sleeper sleeper_;
  WorkerPool workers_;  // its tasks use what is above
  Loop loop_;
};

}  // namespace auscult::serve
