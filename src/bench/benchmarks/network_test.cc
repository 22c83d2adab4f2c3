#include <gtest/gtest.h>

#include "base/process.h"
#include "bench/benchmark.h"

namespace auscult::bench {
namespace {

Result<Run> run_network(model::Labels params, std::string device = "") {
  const auto table = all_benchmarks();
  return find_named(table, "network")
      ->run({.device = std::move(device), .params = std::move(params)});
}

TEST(Network, measures_loopback_with_a_server_of_its_own) {
  if (!find_program("iperf3")) GTEST_SKIP() << "iperf3 is not installed: apt-get install iperf3";

  const auto run = run_network({{"seconds", "1"}});

  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->device, "lo");
  std::vector<std::string> metrics;
  for (const auto& measurement : run->measurements) metrics.push_back(measurement.metric);
  EXPECT_EQ(metrics,
            (std::vector<std::string>{"bandwidth", "bandwidth_min", "rtt_p99", "retransmits"}));
  EXPECT_GT(run->measurements[0].value, 0);
  EXPECT_GE(run->measurements[0].samples.size(), 3U);
  EXPECT_GT(run->measurements[1].value, 0);
  EXPECT_LE(run->measurements[1].value, run->measurements[0].value * 1.1);
  EXPECT_GT(run->measurements[2].value, 0);
}

TEST(Network, another_interface_than_the_one_asked_for_is_refused) {
  const auto run = run_network({}, "eth7");
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::invalid_input);
  EXPECT_NE(run.error().message.find("reached by lo"), std::string::npos) << run.error().message;
}

TEST(Network, a_peer_that_does_not_answer_is_named_with_its_reason) {
  if (!find_program("iperf3")) GTEST_SKIP() << "iperf3 is not installed: apt-get install iperf3";
  // Port 1 of loopback: nobody listens there, and no test may.
  const auto run = run_network({{"peer", "127.0.0.1"}, {"port", "1"}, {"seconds", "1"}});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::unavailable);
  EXPECT_NE(run.error().message.find("onnection refused"), std::string::npos)
      << run.error().message;
}

TEST(Network, parameters_that_make_no_sense_are_refused) {
  EXPECT_FALSE(run_network({{"seconds", "0"}}));
  EXPECT_FALSE(run_network({{"port", "70000"}}));
  EXPECT_FALSE(run_network({{"streams", "x"}}));
}

}  // namespace
}  // namespace auscult::bench
