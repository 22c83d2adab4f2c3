#include "store/store.h"

#include <future>
#include <utility>

#include "base/hash.h"
#include "base/loop.h"
#include "store/data_lock.h"
#include "store/loader.h"
#include "store/migrate.h"
#include "store/reader.h"
#include "store/writer.h"

namespace auscult::store {
namespace {

constexpr std::chrono::seconds expiry_period{60};

class EngineStore : public Store {
 public:
  EngineStore(std::unique_ptr<Engine> engine, std::optional<DataLock> lock,
              const StoreOptions& options, const Clock& clock)
      : lock_(std::move(lock)),
        engine_(std::move(engine)),
        catalog_(options.catalog, clock),
        loads_hot_(options.hot.load),
        hot_(catalog_, options.hot, clock),
        writer_(*engine_, catalog_, hot_, options.engine.data / "journal", options.writer, clock),
        expiry_("store-hot", expiry_period, [this](const std::stop_token&) { hot_.expire(); }) {}

  Result<Ok> start() {
    TRY(writer_.start());  // first: what the journal holds is read with the rest
    TRY(load_series(*engine_, catalog_));
    return loads_hot_ ? load_hot(*engine_, catalog_, hot_) : Ok{};
  }

  void write(Batch batch, std::function<void(Result<Ok>)> done) override {
    writer_.write(std::move(batch), std::move(done));
  }
  Result<std::vector<Series>> read_series(const SeriesQuery& query) override {
    return store::read_series(*engine_, query);
  }
  Result<model::LogRecords> read_logs(const LogQuery& query) override {
    return store::read_logs(*engine_, query);
  }
  Result<model::BenchmarkResults> read_results(const ResultQuery& query) override {
    return store::read_results(*engine_, query);
  }
  Result<std::vector<IncidentEvent>> read_events(const std::string& incident_id) override {
    return store::read_events(*engine_, incident_id);
  }
  Result<std::vector<std::string>> incident_ids() override { return read_incident_ids(*engine_); }
  Result<Json> read_sync_position(const std::string& source) override {
    return store::read_sync_position(*engine_, source);
  }
  Result<std::vector<std::string>> node_ids(TimeRange range) override {
    return read_node_ids(*engine_, range);
  }
  model::SeriesIndex& series() override { return catalog_; }
  uint64_t series_refused() const override { return catalog_.refused(); }
  HotStore& hot() override { return hot_; }
  Engine& engine() override { return *engine_; }
  WriterStats writer_stats() const override { return writer_.stats(); }

 private:
  const std::optional<DataLock> lock_;  // of the journal, where the engine has none
  std::unique_ptr<Engine> engine_;
  SeriesCatalog catalog_;
  const bool loads_hot_;
  HotStore hot_;
  Writer writer_;  // destroyed while the engine is there
  Loop expiry_;
};

}  // namespace

Result<std::unique_ptr<Store>> Store::open(const StoreOptions& options, const Clock& clock) {
  const std::string where =
      options.remote ? options.remote->url.endpoints.front() : options.engine.data.string();
  std::optional<DataLock> lock;
  std::unique_ptr<Engine> engine;
  if (options.remote) {
    lock = TRY(DataLock::lock(options.engine.data));
    engine = TRY(open_http(*options.remote));
  } else {
    engine = TRY(open_embedded(options.engine));
  }
  const std::vector<Migration> migrations = TRY(parse_migrations(embedded_schema()));
  TRY(migrate(*engine, migrations), where);
  auto store = std::make_unique<EngineStore>(std::move(engine), std::move(lock), options, clock);
  TRY(store->start(), where);
  return Result<std::unique_ptr<Store>>(std::move(store));
}

Result<Ok> Store::write_and_wait(Batch batch) {
  std::promise<Result<Ok>> promise;
  auto answer = promise.get_future();
  write(std::move(batch), [&promise](Result<Ok> result) { promise.set_value(std::move(result)); });
  return answer.get();
}

std::string batch_id(std::string_view signal, std::string_view body) {
  std::string text(signal);
  text += '\n';
  text += body;
  return hash128_hex(text);
}

}  // namespace auscult::store
