#include "cli/testing_server.h"
#include "model/benchmark_result.h"

namespace auscult::cli {
namespace {

using BenchCommand = ServedCommandTest;

TEST_F(BenchCommand, lists_every_benchmark_with_its_metrics) {
  EXPECT_EQ(run({"bench", "list"}), 0);
  for (const char* word : {"cpu_compute", "storage", "memory_bandwidth", "gflops", "read_iops"}) {
    EXPECT_TRUE(printed(word)) << word;
  }
}

TEST_F(BenchCommand, a_run_printed_as_jsonl_reads_back) {
  ASSERT_EQ(run({"bench", "run", "cpu_compute", "--param", "seconds=0.2", "--no-store", "--format",
                 "jsonl", "--node", "node1", "--scratch", folder_.path().string()}),
            0)
      << err_.str();

  const auto json = Json::parse(out_.str().substr(0, out_.str().find('\n')));
  ASSERT_TRUE(json) << out_.str();
  const auto result = model::benchmark_result_from_json(*json);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->benchmark, "cpu_compute");
  EXPECT_EQ(result->tags.node_id, "node1");
  EXPECT_GT(result->value, 0);
}

TEST_F(BenchCommand, a_run_is_stored_at_the_server_and_shows_in_the_history) {
  ASSERT_EQ(ask({"bench", "run", "cpu_compute", "--param", "seconds=0.2", "--node", "node1"}), 0)
      << err_.str();
  const auto stored = api_.store.read_results({.node_id = "node1",
                                               .benchmark = "cpu_compute",
                                               .range = {0, system_clock().now_ns()},
                                               .trusted_only = false});
  EXPECT_FALSE(stored->empty());

  api_.clock.advance(std::chrono::nanoseconds(system_clock().now_ns() - api_.clock.now_ns()));
  EXPECT_EQ(ask({"bench", "history", "cpu_compute"}), 0) << err_.str();
  EXPECT_TRUE(printed("gflops")) << out_.str();
}

TEST_F(BenchCommand, the_server_is_told_when_a_benchmark_is_over) {
  // Ill from second 62 on; the benchmark takes no time of this server's clock.
  diagnose::testing::add_counter(api_.store, "node_pressure_io_waiting_seconds_total", {},
                                 diagnose::testing::series("0.01x62 0.95x12"));
  ASSERT_EQ(ask({"bench", "run", "cpu_compute", "--param", "seconds=0.2", "--node", "node1"}), 0)
      << err_.str();

  const auto alerts = api_.watch.evaluate("node1", serve::api_now_ns);
  ASSERT_TRUE(alerts);
  EXPECT_EQ(alerts->size(), 1U) << "the node is still taken for disturbed";
}

TEST_F(BenchCommand, no_results_are_no_drift_verdict_and_a_bad_finding) {
  EXPECT_EQ(ask({"bench", "drift"}), 1);
  EXPECT_TRUE(printed("no_data"));
}

TEST_F(BenchCommand, what_cannot_be_is_a_usage_error) {
  EXPECT_NE(usage_error({"bench", "jump"}).find("list, preflight, run, drift"), std::string::npos);
  EXPECT_NE(usage_error({"bench", "run"}).find("auscult bench list"), std::string::npos);
  EXPECT_NE(usage_error({"bench", "run", "cpu_compute", "--repeat", "0"}).find("--repeat"),
            std::string::npos);
  EXPECT_NE(usage_error({"bench", "run", "cpu_compte", "--repeat", "1001", "--no-store"})
                .find("--repeat"),
            std::string::npos);
  EXPECT_NE(
      usage_error({"bench", "run", "cpu_compute", "--no-store", "--param", "x"}).find("NAME=VALUE"),
      std::string::npos);
  EXPECT_NE(usage_error({"bench", "run", "cpu_compte", "--no-store"}).find("cpu_compute"),
            std::string::npos);
}

TEST_F(BenchCommand, a_store_that_was_named_must_be_there) {
  EXPECT_EQ(run({"bench", "run", "cpu_compute", "--param", "seconds=0.2", "--data", data()}), 3);
}

}  // namespace
}  // namespace auscult::cli
