#include "serve/sync_service.h"

#include <set>
#include <tuple>
#include <utility>

#include "base/log.h"
#include "net/client.h"
#include "serve/prometheus_duration.h"
#include "wire/series_selector.h"

namespace auscult::serve {
namespace {

constexpr std::chrono::milliseconds beat{500};
constexpr std::chrono::seconds retry_after{30};
constexpr std::chrono::hours retention_period{1};

Result<SyncOptions> parse_source(const Yaml& node) {
  YamlReader reader(node);
  SyncOptions options;
  options.url = reader.required("prometheus");
  options.selectors = reader.texts("match");
  const std::string every = reader.text("every", "5m");
  const std::string since = reader.text("since", "7d");
  TRY(reader.finish());
  for (const auto& [key, text, into] :
       {std::tuple{"every", every, &options.every}, {"since", since, &options.since}}) {
    const auto duration = parse_prometheus_duration(text);
    if (!duration) return node.find(key)->error(duration.error().message);
    if (duration->count() == 0) return node.find(key)->error(std::string(key) + " must be above 0");
    *into = *duration;
  }
  if (const auto url = net::parse_url(options.url); !url) {
    return node.find("prometheus")->error(url.error().message);
  }
  for (const auto& selector : options.selectors) {
    if (const auto parsed = wire::parse_series_selector(selector); !parsed) {
      return node.find("match")->error(parsed.error().message);
    }
  }
  return options;
}

}  // namespace

Result<std::vector<SyncOptions>> parse_sync(const Yaml& list) {
  std::vector<SyncOptions> sources;
  if (list.kind == Yaml::Kind::null) return sources;
  if (list.kind != Yaml::Kind::list) return list.error("expected a list of sources");
  std::set<std::string> names;
  for (const Yaml& node : list.list) {
    sources.push_back(TRY(parse_source(node)));
    if (!names.insert(sources.back().source()).second) {
      return node.error("the same source is there twice");
    }
  }
  return sources;
}

Result<std::unique_ptr<SyncService>> SyncService::start(const std::vector<SyncOptions>& sources,
                                                        store::Store& store, const Clock& clock,
                                                        const SyncConnect& connect,
                                                        const SyncLimits& limits) {
  std::vector<std::unique_ptr<PrometheusSync>> syncs;
  for (const SyncOptions& options : sources) {
    auto source = TRY(connect(options.url));
    syncs.push_back(TRY(PrometheusSync::create(options, limits, std::move(source), store, clock)));
  }
  return std::unique_ptr<SyncService>(new SyncService(std::move(syncs), clock));
}

SyncService::SyncService(std::vector<std::unique_ptr<PrometheusSync>> syncs, const Clock& clock)
    : clock_(clock),
      sources_([&] {
        std::deque<Source> sources;
        for (auto& sync : syncs) {
          Source& source = sources.emplace_back();
          source.state.source = sync->options().source();
          source.sync = std::move(sync);
        }
        return sources;
      }()),
      loop_("sync", beat, [this](const std::stop_token& stop) { run(stop); }) {}

SyncService::~SyncService() {
  stopping_ = true;
  for (Source& source : sources_) source.sync->cancel();
  loop_.stop();
}

std::vector<SyncState> SyncService::states() const {
  const std::lock_guard lock(mutex_);
  std::vector<SyncState> states;
  for (const Source& source : sources_) {
    states.push_back(source.state);
    if (source.complete_until_ms == 0) continue;
    states.back().lag_seconds =
        static_cast<double>(clock_.now_ns() / 1'000'000 - source.complete_until_ms) / 1e3;
  }
  return states;
}

// A part of each source that has something to fetch, in turn, so that the backfill of one does not
// hold up the others.
void SyncService::run(const std::stop_token& stop) {
  bool is_idle = false;
  while (!is_idle && !stopping_ && !stop.stop_requested()) {
    is_idle = true;
    for (Source& source : sources_) {
      if (stopping_ || source.due > clock_.monotonic()) continue;
      step(source, stop);
      is_idle = false;
    }
  }
}

void SyncService::step(Source& source, const std::stop_token& stop) {
  auto done = source.sync->step(stop);
  if (stopping_) return;
  const auto now = clock_.monotonic();
  if (!done) {
    source.due = now + retry_after;
    const std::lock_guard lock(mutex_);
    ++source.state.failures;
    if (done.error().message != source.problem) {
      log_warning("sync of " + source.state.source + ": " + done.error().message);
    }
    source.problem = done.error().message;
  } else {
    if (!source.problem.empty()) log_info("sync of " + source.state.source + " succeeds again");
    source.problem.clear();
    if (done->caught_up) source.due = now + source.sync->options().every;
    const std::lock_guard lock(mutex_);
    source.complete_until_ms = done->complete_until_ms;
    source.state.samples += done->points;
    source.state.rejected += done->rejected.samples;
  }
  if (done && now >= source.retention_due) ask_retention(source);
  warn_of_lag(source);
}

void SyncService::ask_retention(Source& source) {
  source.retention_due = clock_.monotonic() + retention_period;
  const auto retention = source.sync->retention();
  if (!retention || !*retention) return;
  const std::lock_guard lock(mutex_);
  source.state.retention_seconds = static_cast<double>((*retention)->count()) / 1e3;
}

// What the server drops before it is fetched is lost.
void SyncService::warn_of_lag(Source& source) {
  const std::lock_guard lock(mutex_);
  const double retention = source.state.retention_seconds;
  if (retention == 0 || source.complete_until_ms == 0) return;
  const double lag =
      static_cast<double>(clock_.now_ns() / 1'000'000 - source.complete_until_ms) / 1e3;
  const bool is_late = lag > retention / 2;
  if (is_late && !source.lag_logged) {
    log_warning("sync of " + source.state.source + " lags by " +
                std::to_string(static_cast<int64_t>(lag / 3600)) +
                " h, more than half of what the server keeps");
  }
  source.lag_logged = is_late;
}

}  // namespace auscult::serve
