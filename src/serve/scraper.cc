#include "serve/scraper.h"

#include <algorithm>

#include "base/guard.h"
#include "base/hash.h"
#include "base/log.h"

namespace auscult::serve {
namespace {

constexpr std::chrono::seconds discovery_period{2};

}  // namespace

Scraper::Scraper(std::vector<ScrapeJob> jobs, store::Store& store, const Clock& clock)
    : world_{.store = store, .clock = clock},
      discovery_(std::move(jobs), clock),
      workers_("scrape", max_running, TargetDiscovery::max_targets),
      loop_("scraper", std::chrono::hours(1), [this](const std::stop_token& stop) { run(stop); }) {}

Scraper::~Scraper() {
  world_.stopping = true;
  loop_.stop();
  for (const auto* entries : {&entries_, &leaving_}) {
    for (const auto& [key, entry] : *entries) {
      if (entry->busy) entry->scrape->cancel();
    }
  }
}

void Scraper::run(const std::stop_token& stop) {
  Nanoseconds next_discovery{};
  while (!stop.stop_requested()) {
    const auto now = world_.clock.monotonic();
    if (now >= next_discovery) {
      discovery_.refresh();
      update_targets();
      end_leaving();
      next_discovery = now + discovery_period;
    }
    const auto next = std::min(start_due(), next_discovery);
    sleeper_.sleep(std::max(next - world_.clock.monotonic(), Nanoseconds{}), stop);
  }
}

void Scraper::update_targets() {
  const auto& targets = discovery_.targets();
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    if (targets.contains(entry->first)) {
      ++entry;
      continue;
    }
    by_due_.erase({entry->second->due, entry->second.get()});
    leaving_.insert(entries_.extract(entry++));
  }
  for (const auto& [key, target] : targets) {
    // One that comes back waits until the markers of its old life are written.
    if (!entries_.contains(key) && !leaving_.contains(key)) add(key, target);
  }
  world_.stats.targets = entries_.size();
}

void Scraper::add(const std::string& key, const Target& target) {
  auto scrape = TargetScrape::create(target, world_);
  if (!scrape) {
    log_warning("scrape: " + scrape.error().message);
    return;  // no file descriptor left: it is tried again
  }
  const Nanoseconds interval = target.interval;
  const int64_t now_ns = world_.clock.now_ns();
  const auto place = static_cast<int64_t>(hash64(key) % static_cast<uint64_t>(interval.count()));
  int64_t beat_ns = now_ns - now_ns % interval.count() + place;
  if (beat_ns < now_ns) beat_ns += interval.count();
  auto entry = std::make_unique<Entry>();
  entry->scrape = *std::move(scrape);
  entry->interval = interval;
  entry->due = world_.clock.monotonic() + Nanoseconds(beat_ns - now_ns);
  by_due_.emplace(entry->due, entry.get());
  entries_.emplace(key, std::move(entry));
}

void Scraper::end_leaving() {
  std::erase_if(leaving_, [](const auto& row) { return row.second->ended && !row.second->busy; });
  for (const auto& [key, entry] : leaving_) {
    if (!entry->ended && !entry->busy) entry->ended = start(*entry, &TargetScrape::end);
  }
}

// Returns when the next is due.
Scraper::Nanoseconds Scraper::start_due() {
  const auto now = world_.clock.monotonic();
  while (!by_due_.empty() && by_due_.begin()->first <= now) {
    Entry& entry = *by_due_.begin()->second;
    by_due_.erase(by_due_.begin());
    if (!start(entry, &TargetScrape::run)) ++world_.stats.skipped;
    // A machine that slept does not catch up.
    entry.due += entry.interval * ((now - entry.due) / entry.interval + 1);
    by_due_.emplace(entry.due, &entry);
  }
  return by_due_.empty() ? Nanoseconds::max() : by_due_.begin()->first;
}

bool Scraper::start(Entry& entry, void (TargetScrape::*work)()) {
  if (entry.busy.exchange(true)) return false;
  const bool taken = workers_.submit([this, &entry, work] {
    run_guarded("scrape", [&] {
      if (!world_.stopping) (entry.scrape.get()->*work)();
    });
    entry.busy = false;
  });
  if (!taken) entry.busy = false;
  return taken;
}

}  // namespace auscult::serve
