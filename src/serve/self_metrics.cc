#include "serve/self_metrics.h"

#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "model/sample.h"

namespace auscult::serve {
namespace {

using model::MetricKind;

double resident_bytes() {
  const auto statm = read_file("/proc/self/statm");
  if (!statm) return 0;
  const auto fields = words(*statm);
  const auto page_bytes = static_cast<double>(::sysconf(_SC_PAGESIZE));
  return fields.size() > 1 ? to_double(fields[1]).value_or(0) * page_bytes : 0;
}

}  // namespace

std::string self_metrics(const SelfView& view) {
  const IngestStats& ingest = view.ingest;
  model::Samples samples;
  const auto add = [&](const char* metric, double value, MetricKind kind,
                       model::Labels labels = {}) {
    samples.push_back(
        {.metric = metric, .labels = std::move(labels), .tags = {}, .value = value, .kind = kind});
  };
  const auto count = [](uint64_t value) { return static_cast<double>(value); };
  const auto writer = view.store.writer_stats();
  add("auscult_writer_batches_committed_total", count(writer.batches_committed),
      MetricKind::counter);
  add("auscult_writer_batches_duplicate_total", count(writer.batches_duplicate),
      MetricKind::counter);
  add("auscult_writer_batches_refused_total", count(writer.batches_refused), MetricKind::counter);
  add("auscult_writer_rows_committed_total", count(writer.rows_committed), MetricKind::counter);
  add("auscult_writer_groups_failed_total", count(writer.groups_failed), MetricKind::counter);
  add("auscult_writer_rows_queued", count(writer.rows_queued), MetricKind::gauge);
  add("auscult_ingest_requests_total", count(ingest.requests), MetricKind::counter);
  add("auscult_ingest_malformed_total", count(ingest.malformed), MetricKind::counter);
  add("auscult_ingest_rejected_items_total", count(ingest.rejected_items), MetricKind::counter);
  add("auscult_ingest_pushed_back_total", count(ingest.pushed_back), MetricKind::counter);
  add("auscult_ingest_replica_samples_total", count(ingest.replica_samples), MetricKind::counter);
  add("auscult_ingest_dropped_exemplars_total", count(ingest.dropped_exemplars),
      MetricKind::counter);
  add("process_resident_memory_bytes", resident_bytes(), MetricKind::gauge);
  for (const auto& [name, server] : {std::pair{"otlp", view.otlp}, {"http", view.http}}) {
    if (server == nullptr) continue;
    const auto stats = server->stats();
    add("auscult_http_requests_total", count(stats.requests), MetricKind::counter,
        {{"server", name}});
    add("auscult_http_refused_total", count(stats.refused), MetricKind::counter,
        {{"server", name}});
    add("auscult_http_connections", count(stats.connections), MetricKind::gauge,
        {{"server", name}});
  }
  if (view.grpc != nullptr) {
    const auto stats = view.grpc->stats();
    add("auscult_grpc_calls_total", count(stats.calls), MetricKind::counter);
    add("auscult_grpc_refused_total", count(stats.refused), MetricKind::counter);
    add("auscult_grpc_calls_in_flight", count(stats.in_flight), MetricKind::gauge);
  }
  if (view.scrape != nullptr) {
    const ScrapeStats& scrape = *view.scrape;
    add("auscult_scrape_targets", count(scrape.targets), MetricKind::gauge);
    add("auscult_scrape_scrapes_total", count(scrape.scrapes), MetricKind::counter);
    add("auscult_scrape_failed_total", count(scrape.failed), MetricKind::counter);
    add("auscult_scrape_skipped_total", count(scrape.skipped), MetricKind::counter);
    add("auscult_scrape_samples_total", count(scrape.samples), MetricKind::counter);
    add("auscult_scrape_rejected_samples_total", count(scrape.rejected), MetricKind::counter);
    add("auscult_scrape_lost_samples_total", count(scrape.lost), MetricKind::counter);
  }
  for (const SyncState& sync : view.sync) {
    const model::Labels labels = {{"source", sync.source}};
    add("auscult_sync_lag_seconds", sync.lag_seconds, MetricKind::gauge, labels);
    add("auscult_sync_retention_seconds", sync.retention_seconds, MetricKind::gauge, labels);
    add("auscult_sync_samples_total", count(sync.samples), MetricKind::counter, labels);
    add("auscult_sync_rejected_samples_total", count(sync.rejected), MetricKind::counter, labels);
    add("auscult_sync_failures_total", count(sync.failures), MetricKind::counter, labels);
  }
  add("auscult_series_refused_total", count(view.store.series_refused()), MetricKind::counter);
  if (view.redactor != nullptr) {
    for (const auto& [kind, redacted] : view.redactor->counts()) {
      add("auscult_redacted_total", count(redacted), MetricKind::counter,
          {{"kind", std::string(kind)}});
    }
  }
  const auto hot = view.store.hot().stats();
  add("auscult_hot_series", count(hot.series), MetricKind::gauge);
  add("auscult_hot_samples", count(hot.samples), MetricKind::gauge);
  add("auscult_hot_sample_bytes", count(hot.bytes), MetricKind::gauge);
  return model::to_prometheus_text(std::move(samples), false);
}

}  // namespace auscult::serve
