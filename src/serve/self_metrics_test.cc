#include "serve/self_metrics.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "store/memory_store.h"

namespace auscult::serve {
namespace {

class CountingStore : public store::MemoryStore {
 public:
  store::WriterStats writer_stats() const override {
    return {.batches_committed = 1,
            .batches_duplicate = 2,
            .batches_refused = 3,
            .rows_committed = 4,
            .groups_failed = 5,
            .rows_queued = 6};
  }
};

TEST(SelfMetrics, say_what_writer_and_ingest_counted) {
  CountingStore store;
  IngestStats ingest;
  ingest.requests = 7;
  ingest.malformed = 8;
  ingest.rejected_items = 9;
  ingest.pushed_back = 10;

  const auto text = self_metrics({.store = store, .ingest = ingest});

  for (const char* line :
       {"auscult_writer_batches_committed_total 1", "auscult_writer_batches_duplicate_total 2",
        "auscult_writer_batches_refused_total 3", "auscult_writer_rows_committed_total 4",
        "auscult_writer_groups_failed_total 5", "auscult_writer_rows_queued 6",
        "auscult_ingest_requests_total 7", "auscult_ingest_malformed_total 8",
        "auscult_ingest_rejected_items_total 9", "auscult_ingest_pushed_back_total 10",
        "# TYPE auscult_ingest_requests_total counter",
        "# TYPE auscult_writer_rows_queued gauge"}) {
    EXPECT_NE(("\n" + text).find("\n" + std::string(line) + "\n"), std::string::npos) << line;
  }
  EXPECT_EQ(text.find("auscult_http_"), std::string::npos);
}

TEST(SelfMetrics, say_how_much_memory_the_process_holds) {
  CountingStore store;
  const IngestStats ingest;
  const auto text = self_metrics({.store = store, .ingest = ingest});

  const std::string name = "\nprocess_resident_memory_bytes ";
  const auto at = text.find(name);
  ASSERT_NE(at, std::string::npos);
  const auto value =
      to_double(text.substr(at + name.size(), text.find('\n', at + 1) - at - name.size()));
  EXPECT_GT(value.value_or(0), 1e6);
}

TEST(SelfMetrics, say_how_scrapes_and_syncs_are_doing) {
  CountingStore store;
  const IngestStats ingest;
  ScrapeStats scrape;
  scrape.targets = 1;
  scrape.scrapes = 2;
  scrape.failed = 3;
  scrape.skipped = 4;
  scrape.samples = 5;
  scrape.rejected = 6;
  scrape.lost = 7;

  const auto text = self_metrics({.store = store,
                                  .ingest = ingest,
                                  .scrape = &scrape,
                                  .sync = {{.source = "http://p",
                                            .lag_seconds = 120.5,
                                            .retention_seconds = 3600,
                                            .samples = 8,
                                            .rejected = 9,
                                            .failures = 10}}});

  for (const char* line :
       {"auscult_scrape_targets 1", "auscult_scrape_scrapes_total 2",
        "auscult_scrape_failed_total 3", "auscult_scrape_skipped_total 4",
        "auscult_scrape_samples_total 5", "auscult_scrape_rejected_samples_total 6",
        "auscult_scrape_lost_samples_total 7",
        "auscult_sync_lag_seconds{source=\"http://p\"} 120.5",
        "auscult_sync_retention_seconds{source=\"http://p\"} 3600",
        "auscult_sync_samples_total{source=\"http://p\"} 8",
        "auscult_sync_rejected_samples_total{source=\"http://p\"} 9",
        "auscult_sync_failures_total{source=\"http://p\"} 10"}) {
    EXPECT_NE(("\n" + text).find("\n" + std::string(line) + "\n"), std::string::npos) << line;
  }
}

TEST(SelfMetrics, have_a_label_for_each_server) {
  CountingStore store;
  const auto server = net::HttpServer::start({}, [](net::Request, const net::Reply&) {});
  ASSERT_TRUE(server);

  const IngestStats ingest;
  const auto text = self_metrics(
      {.store = store, .ingest = ingest, .otlp = server->get(), .http = server->get()});

  for (const char* series : {"auscult_http_requests_total{server=\"otlp\"} 0",
                             "auscult_http_requests_total{server=\"http\"} 0"}) {
    EXPECT_NE(text.find(series), std::string::npos) << text;
  }
}

TEST(SelfMetrics, say_what_was_redacted_by_kind_and_how_many_series_were_refused) {
  CountingStore store;
  const IngestStats ingest;
  const auto redactor = redact::Redactor::create(redact::patterns());
  ASSERT_TRUE(redactor);
  std::string line = "password=hunter2";
  (*redactor)->redact(line);

  const auto text = self_metrics({.store = store, .ingest = ingest, .redactor = redactor->get()});

  for (const char* series :
       {"\nauscult_redacted_total{kind=\"password\"} 1\n",
        "\nauscult_redacted_total{kind=\"jwt\"} 0\n", "\nauscult_series_refused_total 0\n"}) {
    EXPECT_NE(text.find(series), std::string::npos) << series;
  }
}

}  // namespace
}  // namespace auscult::serve
