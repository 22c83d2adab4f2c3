#include "serve/scraper.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <mutex>

#include "base/file.h"
#include "net/server.h"
#include "store/memory_store.h"

namespace auscult::serve {
namespace {

// Waits for what the scraper's threads bring about.
void wait_for(const std::function<bool()>& condition, const char* what) {
  Sleeper sleeper;
  const auto deadline = system_clock().monotonic() + std::chrono::seconds(30);
  while (!condition()) {
    ASSERT_LT(system_clock().monotonic(), deadline) << what;
    sleeper.sleep(std::chrono::milliseconds(2), {});
  }
}

class ScraperTest : public testing::Test {
 protected:
  void SetUp() override {
    auto server = net::HttpServer::start({}, [this](net::Request request, const net::Reply& reply) {
      if (request.path == "/never") {
        const std::lock_guard lock(mutex_);
        waiting_ = reply;
        return;
      }
      reply(net::text_response(200, "page 1\n"));
    });
    ASSERT_TRUE(server);
    server_ = *std::move(server);
  }

  ScrapeJob job(const std::string& name) const {
    return {.name = name,
            .interval = std::chrono::milliseconds(100),
            .timeout = std::chrono::milliseconds(100),
            .groups = {{.targets = {address()}, .labels = {}}}};
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(server_->port()); }
  bool is_waiting() {
    const std::lock_guard lock(mutex_);
    return waiting_ != nullptr;
  }
  // The last value of `up` under the job's name; -1 for none, -2 for a marker.
  double last_up(const std::string& job_name) {
    const auto found = store.read_series(
        {.metric = "up", .node_id = {}, .labels = {{"job", job_name}}, .range = {0, INT64_MAX}});
    if (!found || found->empty()) return -1;
    const double value = found->front().points.back().value;
    return std::bit_cast<uint64_t>(value) == std::bit_cast<uint64_t>(stale_marker) ? -2 : value;
  }

  store::MemoryStore store;
  std::unique_ptr<net::HttpServer> server_;
  std::mutex mutex_;
  net::Reply waiting_;
};

TEST_F(ScraperTest, scrapes_every_job_again_and_again_over_kept_connections) {
  Scraper scraper({job("a"), job("b")}, store, system_clock());
  wait_for([&] { return scraper.stats().scrapes >= 8; }, "eight scrapes");
  EXPECT_EQ(last_up("a"), 1);
  EXPECT_EQ(last_up("b"), 1);
  EXPECT_EQ(scraper.stats().targets, 2U);
  EXPECT_EQ(server_->stats().connections, 2U);
}

TEST_F(ScraperTest, a_target_that_leaves_its_file_is_marked_and_may_come_back) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("auscult-scraper-" + std::to_string(server_->port()) + ".yml");
  const std::string there = "- targets: [\"" + address() + "\"]\n";
  ASSERT_TRUE(write_file(path, there));
  ScrapeJob in_file = job("f");
  in_file.groups.clear();
  in_file.files.push_back({.patterns = {path.string()}});
  Scraper scraper({in_file}, store, system_clock());
  wait_for([&] { return last_up("f") == 1; }, "a target of the file");

  ASSERT_TRUE(write_file(path, "[]\n"));
  wait_for([&] { return last_up("f") == -2; }, "a marker");
  EXPECT_EQ(scraper.stats().targets, 0U);

  ASSERT_TRUE(write_file(path, there));
  wait_for([&] { return last_up("f") == 1; }, "the target again");
  std::filesystem::remove(path);
}

TEST_F(ScraperTest, stops_at_once_while_a_target_does_not_answer) {
  ScrapeJob slow = job("slow");
  slow.metrics_path = "/never";
  slow.timeout = std::chrono::minutes(10);
  {
    Scraper scraper({slow}, store, system_clock());
    wait_for([&] { return is_waiting() && scraper.stats().skipped >= 2; },
             "a beat that is skipped");
  }
  EXPECT_EQ(last_up("slow"), -1);
}

}  // namespace
}  // namespace auscult::serve
