// `auscult sync prometheus`: fetches what a Prometheus server has stored into the store of a
// folder.
#include <filesystem>
#include <ostream>

#include "base/file.h"
#include "base/loop.h"
#include "cli/command.h"
#include "cli/options.h"
#include "serve/prometheus_duration.h"
#include "serve/prometheus_sync.h"
#include "serve/server.h"
#include "store/store.h"
#include "wire/series_selector.h"

namespace auscult::cli {
namespace {

struct Totals {
  uint64_t samples = 0;
  wire::Rejected rejected;
};

Result<std::chrono::milliseconds> duration_of(const std::string& option, const std::string& text) {
  const auto duration = TRY(serve::parse_prometheus_duration(text), option);
  if (duration.count() > 0) return duration;
  return Error{ErrorCode::invalid_input, option + " must be above 0"};
}

// A data folder belongs to one process.
Result<std::unique_ptr<store::Store>> open_store(const std::string& data,
                                                 const Environment& environment) {
  if (serve::find_server(data)) {
    return Error{ErrorCode::invalid_input,
                 "a server runs on " + data +
                     ": write 'sync: [{prometheus: URL}]' into its configuration instead"};
  }
  TRY(make_folder(data, 0750));
  return store::Store::open(
      {.engine = {.data = std::filesystem::path(data) / "store", .library = environment.library},
       .writer = {}},
      environment.clock);
}

// Until nothing is left but what is too new.
Result<Ok> catch_up(serve::PrometheusSync& sync, Environment& environment, Totals& totals) {
  while (true) {
    const auto step = TRY(sync.step({}));
    totals.samples += step.points;
    if (totals.rejected.message.empty()) totals.rejected.message = step.rejected.message;
    totals.rejected.samples += step.rejected.samples;
    if (environment.terminal) {
      environment.err << "\r" << totals.samples << " samples, complete until "
                      << format_time(step.complete_until_ms * 1'000'000) << std::flush;
    }
    if (!step.caught_up) continue;
    if (environment.terminal) environment.err << '\n';
    environment.out << totals.samples << " samples stored, complete until "
                    << format_time(step.complete_until_ms * 1'000'000) << std::endl;
    if (totals.rejected.samples > 0) {
      environment.err << totals.rejected.samples << " samples left out: " << totals.rejected.message
                      << '\n';
    }
    totals = {};
    return Ok{};
  }
}

Result<Exit> run(const std::vector<std::string>& arguments, Environment& environment) {
  std::string kind;
  std::string data = environment.default_data;
  std::string since = "7d";
  std::string every;
  std::string lag = "2m";
  serve::SyncOptions sync_options;
  Options options(
      "sync",
      "Fetch what a Prometheus server has stored: sync prometheus --from URL. It goes on "
      "where the last one ended; nothing is stored twice.");
  options.positional("KIND", kind, true, "prometheus")
      .text("--from", sync_options.url, "URL of the Prometheus server")
      .text("--since", since, "how far back the first time")
      .texts("--match", sync_options.selectors,
             "series to fetch, as 'up{job=\"node\"}'; several add")
      .text("--every", every, "go on fetching, as often as this; by default it ends")
      .text("--lag", lag, "leave what is newer to the next time: it may not be complete yet")
      .text("--data", data, "folder of the store");
  if (!TRY(options.parse(arguments, environment.out))) return Exit::ok;
  if (kind != "prometheus") {
    return Error{ErrorCode::invalid_input, "sync knows prometheus, not '" + kind + "'"};
  }
  if (sync_options.url.empty()) return Error{ErrorCode::invalid_input, "--from URL is missing"};
  sync_options.since = TRY(duration_of("--since", since));
  serve::SyncLimits limits;
  limits.safety_lag = TRY(duration_of("--lag", lag));
  if (!every.empty()) sync_options.every = TRY(duration_of("--every", every));

  for (const auto& selector : sync_options.selectors) TRY(wire::parse_series_selector(selector));
  auto source = TRY(serve::connect_prometheus(sync_options.url));
  const auto store = TRY(open_store(data, environment));
  const auto sync = TRY(serve::PrometheusSync::create(sync_options, limits, std::move(source),
                                                      *store, environment.clock));
  Totals totals;
  Sleeper sleeper;
  do {
    const auto done = catch_up(*sync, environment, totals);
    if (every.empty() || (!done && done.error().code == ErrorCode::invalid_input)) {
      TRY(done);
      break;
    }
    if (!done) environment.err << "auscult sync: " << done.error().message << std::endl;
  } while (sleeper.sleep(sync_options.every, {}));
  return Exit::ok;
}

}  // namespace

Command sync() { return {.summary = "fetch the samples of a Prometheus server", .run = run}; }

}  // namespace auscult::cli
