#include "serve/target_scrape.h"

#include <gtest/gtest.h>

#include <mutex>

#include "net/server.h"
#include "store/memory_store.h"

namespace auscult::serve {
namespace {

constexpr int64_t start_ns = 1'700'000'000 * ns_per_s;

// An exporter whose answer a test sets; it remembers the last request.
class Exporter {
 public:
  Exporter() {
    auto server = net::HttpServer::start({}, [this](net::Request request, const net::Reply& reply) {
      const std::lock_guard lock(mutex_);
      request_ = std::move(request);
      reply(answer_);
    });
    EXPECT_TRUE(server);
    server_ = *std::move(server);
  }
  void answer(net::Response response) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(response);
  }
  void page(std::string text) { answer(net::text_response(200, std::move(text))); }
  net::Request request() {
    const std::lock_guard lock(mutex_);
    return request_;
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(server_->port()); }
  void stop() { server_.reset(); }

 private:
  std::mutex mutex_;
  net::Response answer_;
  net::Request request_;
  std::unique_ptr<net::HttpServer> server_;
};

class TargetScrapeTest : public testing::Test {
 protected:
  std::unique_ptr<TargetScrape> scrape(const ScrapeJob& job = {.name = "node"}) {
    auto target = make_target(job, exporter.address(), {{"instance", "n7"}});
    EXPECT_TRUE(target);
    auto made = TargetScrape::create(*target, world);
    EXPECT_TRUE(made);
    return *std::move(made);
  }

  // "seconds:value" of each point of the one series, a marker as "stale".
  std::string points(const std::string& metric) {
    const auto found =
        store.read_series({.metric = metric, .node_id = {}, .labels = {}, .range = {0, INT64_MAX}});
    EXPECT_TRUE(found);
    if (found->empty()) return "none";
    EXPECT_EQ(found->size(), 1U) << metric;
    std::string text;
    for (const auto& [timestamp_ns, value] : found->front().points) {
      const bool is_stale = std::bit_cast<uint64_t>(value) == 0x7ff0000000000002;
      text += std::to_string((timestamp_ns - start_ns) / ns_per_s) + ":" +
              (is_stale ? "stale" : std::to_string(static_cast<int64_t>(value))) + " ";
    }
    return text;
  }

  void pass(int seconds) { clock.advance(std::chrono::seconds(seconds)); }

  Exporter exporter;
  store::MemoryStore store;
  ManualClock clock{start_ns};
  ScrapeWorld world{.store = store, .clock = clock};
};

TEST_F(TargetScrapeTest, stores_the_page_and_what_the_scrape_found_out) {
  exporter.page("load 3\nup_since 7\nold 5 1000\n");
  scrape()->run();

  EXPECT_EQ(points("load"), "0:3 ");
  EXPECT_EQ(points("up"), "0:1 ");
  EXPECT_EQ(points("scrape_samples_scraped"), "0:3 ");
  EXPECT_EQ(points("scrape_duration_seconds"), "0:0 ");
  EXPECT_EQ(world.stats.samples, 6U);
  const auto load =
      store.read_series({.metric = "load", .node_id = "n7", .labels = {}, .range = {0, INT64_MAX}});
  ASSERT_EQ(load->size(), 1U);
  EXPECT_EQ(model::label(load->front().labels, "job"), "node");
}

TEST_F(TargetScrapeTest, asks_as_prometheus_does) {
  exporter.page("# EOF\n");
  ScrapeJob job{.name = "j", .timeout = std::chrono::milliseconds(2500)};
  job.params = {{"a", "1"}};
  scrape(job)->run();

  const auto request = exporter.request();
  EXPECT_EQ(request.path, "/metrics");
  EXPECT_EQ(request.parameter("a"), "1");
  EXPECT_EQ(net::header(request.headers, "X-Prometheus-Scrape-Timeout-Seconds"), "2.5");
  EXPECT_EQ(net::header(request.headers, "Accept-Encoding"), "gzip");
  EXPECT_TRUE(net::header(request.headers, "Accept")
                  .starts_with("application/openmetrics-text;version=1.0.0,"));
}

TEST_F(TargetScrapeTest, a_series_that_vanishes_from_the_page_gets_one_marker) {
  exporter.page("a 1\nb 1\n");
  const auto target = scrape();
  target->run();
  exporter.page("b 2\n");
  for (int i = 0; i < 2; ++i) {
    pass(15);
    target->run();
  }
  exporter.page("a 3\nb 3\n");
  pass(15);
  target->run();

  EXPECT_EQ(points("a"), "0:1 15:stale 45:3 ");
  EXPECT_EQ(points("b"), "0:1 15:2 30:2 45:3 ");
}

TEST_F(TargetScrapeTest, samples_with_times_of_the_page_end_without_a_marker) {
  exporter.page("a 1 1700000000001\n");
  const auto target = scrape();
  target->run();
  exporter.page("");
  pass(15);
  target->run();
  EXPECT_EQ(points("a"), "0:1 ");
}

TEST_F(TargetScrapeTest, a_target_that_is_down_is_marked_once_and_says_up_0) {
  exporter.page("a 1\n");
  const auto target = scrape();
  target->run();
  exporter.stop();
  for (int i = 0; i < 2; ++i) {
    pass(15);
    target->run();
  }

  EXPECT_EQ(points("a"), "0:1 15:stale ");
  EXPECT_EQ(points("up"), "0:1 15:0 30:0 ");
  EXPECT_EQ(points("scrape_samples_scraped"), "0:1 15:0 30:0 ");
  EXPECT_EQ(world.stats.failed, 2U);
}

TEST_F(TargetScrapeTest, a_target_that_leaves_is_marked_whole) {
  exporter.page("a 1\n");
  const auto target = scrape();
  target->run();
  pass(5);
  target->end();
  EXPECT_EQ(points("a"), "0:1 5:stale ");
  EXPECT_EQ(points("up"), "0:1 5:stale ");
}

TEST_F(TargetScrapeTest, bad_pages_fail_whole) {
  ScrapeJob job{.name = "j"};
  job.sample_limit = 2;
  const auto target = scrape(job);
  const net::Response bad_pages[] = {
      net::text_response(500, "a 1\n"),
      net::text_response(200, "a 1\nb\n"),
      net::text_response(200, "a 1\nb 1\nc 1\n"),
      {.status = 200, .headers = {{"Content-Encoding", "gzip"}}, .body = "a 1\n"}};
  uint64_t n_failed = 0;
  for (const auto& page : bad_pages) {
    exporter.answer(page);
    pass(15);
    target->run();
    EXPECT_EQ(world.stats.failed, ++n_failed);
  }
  EXPECT_EQ(points("a"), "none");

  exporter.page("a 1\nb 1\n");
  pass(15);
  target->run();
  EXPECT_EQ(points("a"), "75:1 ");
  EXPECT_EQ(points("up"), "15:0 30:0 45:0 60:0 75:1 ");
}

TEST_F(TargetScrapeTest, a_marker_that_the_store_did_not_take_is_written_later) {
  exporter.page("a 1\n");
  const auto target = scrape();
  target->run();
  exporter.page("");
  store.fail_writes(Error{ErrorCode::unavailable, "full"});
  pass(15);
  target->run();
  EXPECT_EQ(world.stats.lost, 4U);
  store.fail_writes({});
  pass(15);
  target->run();
  EXPECT_EQ(points("a"), "0:1 30:stale ");
}

TEST_F(TargetScrapeTest, leaves_nothing_when_the_server_stops) {
  exporter.page("a 1\n");
  world.stopping = true;
  scrape()->run();
  EXPECT_EQ(points("up"), "none");
}

}  // namespace
}  // namespace auscult::serve
