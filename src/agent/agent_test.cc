#include "agent/agent.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>

#include "base/bounded_queue.h"
#include "base/file.h"
#include "base/loop.h"
#include "base/testing_identity.h"
#include "net/server.h"
#include "wire/otlp.h"

namespace auscult::agent {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

// A server that takes everything and keeps it.
class Sink {
 public:
  explicit Sink(net::TlsContext tls = {}) : scheme_(tls ? "https" : "http") {
    const net::ServerOptions options{.tls = std::move(tls)};
    auto server =
        net::HttpServer::start(options, [this](net::Request request, const net::Reply& reply) {
          requests_.push(std::move(request));
          reply({.status = 200});
        });
    EXPECT_TRUE(server) << server.error().message;
    server_ = *std::move(server);
  }
  std::string url() const { return scheme_ + "://127.0.0.1:" + std::to_string(server_->port()); }
  std::optional<net::Request> next() { return requests_.pop(seconds(10)); }

 private:
  const std::string scheme_;
  BoundedQueue<net::Request> requests_{1000};
  std::unique_ptr<net::HttpServer> server_;
};

class AgentTest : public testing::Test {
 protected:
  AgentTest() {
    std::string pattern = testing::TempDir() + "/agent-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    config_.spool = folder_ / "spool";
    config_.kernel_log = "off";
    config_.interval = std::chrono::milliseconds(100);
    config_.tags = {.cluster = "c", .node_id = "n1"};
  }
  ~AgentTest() override {
    std::error_code error;
    fs::remove_all(folder_, error);
  }

  fs::path folder_;
  AgentConfig config_;
};

TEST_F(AgentTest, sends_its_token_over_tls_and_the_new_one_once_the_file_has_it) {
  const auto identity = testing_identity::make_identity("localhost");
  Sink sink(*net::server_context({.certificate = identity.certificate, .key = identity.key}));
  config_.server = sink.url();
  config_.ca = folder_ / "ca.pem";
  config_.token_file = folder_ / "token";
  ASSERT_TRUE(write_file(config_.ca, identity.certificate));
  ASSERT_TRUE(write_file(config_.token_file, "first\n"));
  const auto agent = Agent::start(config_, system_clock());
  ASSERT_TRUE(agent) << agent.error().message;

  auto request = sink.next();
  ASSERT_TRUE(request) << "nothing was sent";
  EXPECT_EQ(net::header(request->headers, "Authorization"), "Bearer first");
  ASSERT_TRUE(write_file(config_.token_file, "second\n"));
  while (request && net::header(request->headers, "Authorization") != "Bearer second") {
    request = sink.next();
  }
  EXPECT_TRUE(request) << "the old token went on";
}

TEST_F(AgentTest, sends_metrics_of_the_host_of_processes_and_of_itself) {
  Sink sink;
  config_.server = sink.url();
  const auto agent = Agent::start(config_, system_clock());
  ASSERT_TRUE(agent) << agent.error().message;

  std::set<std::string> metrics;
  // Processes are looked at every five seconds, and the first look has no rates.
  while (!metrics.contains("auscult_process_rss_bytes")) {
    const auto request = sink.next();
    ASSERT_TRUE(request) << "nothing was sent";
    EXPECT_EQ(request->path, "/v1/metrics");
    model::PlainSeriesIndex index;
    const auto decoded = wire::decode_metrics(request->body, wire::Encoding::protobuf, {}, index);
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(decoded->rejected, 0U) << decoded->message;
    for (const auto& sample : model::to_samples(decoded->items)) {
      metrics.insert(sample.metric);
      EXPECT_EQ(sample.tags.node_id, "n1") << sample.metric;
      EXPECT_EQ(sample.tags.cluster, "c");
    }
  }
  for (const auto* wanted :
       {"node_cpu_seconds_total", "node_memory_MemAvailable_bytes", "node_load1",
        "auscult_collector_success", "auscult_process_rss_bytes", "auscult_agent_rss_bytes"}) {
    EXPECT_TRUE(metrics.contains(wanted)) << wanted;
  }
}

TEST_F(AgentTest, what_a_dead_server_missed_is_sent_in_order_after_a_restart) {
  config_.server = "http://127.0.0.1:1";  // nothing listens there
  config_.logs = {{folder_ / "train.log", "trainer"}};
  {
    const auto agent = Agent::start(config_, system_clock());
    ASSERT_TRUE(agent) << agent.error().message;
    const auto segments = [&] {
      uintmax_t bytes = 0;
      for (const auto& entry : fs::directory_iterator(config_.spool)) {
        if (entry.path().extension() == ".segment") bytes += entry.file_size();
      }
      return bytes;
    };
    Sleeper sleeper;
    for (int i = 0; i < 100 && segments() < 50'000; ++i) {
      sleeper.sleep(std::chrono::milliseconds(100), {});
    }
    ASSERT_GE(segments(), 50'000U);
  }
  Sink sink;
  config_.server = sink.url();
  config_.interval = std::chrono::hours(1);  // one collection of its own
  const auto agent = Agent::start(config_, system_clock());
  ASSERT_TRUE(agent) << agent.error().message;

  int64_t last_ms = 0;
  size_t batches = 0;
  for (; batches < 3; ++batches) {
    const auto request = sink.next();
    ASSERT_TRUE(request) << "only " << batches << " batches";
    model::PlainSeriesIndex index;
    const auto decoded = wire::decode_metrics(request->body, wire::Encoding::protobuf, {}, index);
    ASSERT_TRUE(decoded) << decoded.error().message;
    ASSERT_FALSE(decoded->items.empty());
    EXPECT_GT(decoded->items.timestamps_ms[0], last_ms);
    last_ms = decoded->items.timestamps_ms[0];
  }
}

TEST_F(AgentTest, sends_the_lines_of_a_log_that_appears_later) {
  Sink sink;
  config_.server = sink.url();
  config_.interval = std::chrono::hours(1);
  config_.gzip = true;
  config_.logs = {{folder_ / "train.log", "trainer"}};
  const auto agent = Agent::start(config_, system_clock());
  ASSERT_TRUE(agent) << agent.error().message;
  const auto metrics = sink.next();
  ASSERT_TRUE(metrics);
  EXPECT_EQ(net::header(metrics->headers, "Content-Encoding"), "gzip");

  std::ofstream(folder_ / "train.log") << "loss is nan\n";

  const auto request = sink.next();
  ASSERT_TRUE(request) << "no logs came";
  EXPECT_EQ(request->path, "/v1/logs");
}

TEST_F(AgentTest, a_spool_that_cannot_be_written_is_an_error_that_names_it) {
  std::ofstream(folder_ / "spool") << "a file";
  const auto agent = Agent::start(config_, system_clock());
  ASSERT_FALSE(agent);
  EXPECT_EQ(agent.error().code, ErrorCode::unavailable);
  EXPECT_NE(agent.error().message.find((folder_ / "spool").string()), std::string::npos);
}

}  // namespace
}  // namespace auscult::agent
