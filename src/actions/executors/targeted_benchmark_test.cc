#include <gtest/gtest.h>

#include "actions/executor.h"
#include "base/process.h"
#include "base/text.h"
#include "bench/host.h"
#include "bench/host_tree.h"
#include "model/benchmark_result.h"

namespace auscult::actions {
namespace {

class TargetedBenchmark : public testing::Test {
 protected:
  TargetedBenchmark() : folder_(testing::TempDir()) {}

  // Params as JSON text, so that a test shows what a server sends.
  ActionResult run(std::string_view params, ActionLimits limits = {}) {
    const ActionRequest request{.id = "a1",
                                .action_class = "benchmark",
                                .action = "targeted_benchmark",
                                .target = "n1",
                                .params = *Json::parse(params),
                                .limits = limits};
    const ExecutorContext context{
        .policy = {.scratch = folder_.root() / "scratch", .allow_peers = allow_peers_},
        .tags = {.node_id = "n1"},
        .clock = &system_clock(),
        .still_allowed = still_allowed_};
    return execute(request, context);
  }
  bench::HostTree folder_;
  std::set<std::string> allow_peers_;
  std::function<Result<Ok>()> still_allowed_;
};

TEST_F(TargetedBenchmark, repeats_and_gives_results_that_the_server_can_store) {
  const auto outcome =
      run(R"({"benchmark":"cpu_compute","repeats":2,"params":{"seconds":0.2,"threads":1}})");

  ASSERT_EQ(outcome.status, "done") << outcome.message;
  const auto& results = outcome.result["results"].array();
  ASSERT_EQ(results.size(), 2U);
  const auto first = model::benchmark_result_from_json(results[0]);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->metric, "gflops");
  EXPECT_EQ(first->tags.node_id, "n1");
  EXPECT_NE(results[0]["run_id"], results[1]["run_id"]);
  EXPECT_EQ(outcome.result["repeats_done"].int_or(0), 2);
  EXPECT_EQ(outcome.result["device_counters"].array().size(), 2U);
  EXPECT_EQ(outcome.result["own_io"].array().size(), 2U);
  const Json& cpu = outcome.result["cpu"].array()[0];
  EXPECT_GT(cpu["own_ratio"].number_or(0), 0.01);
  EXPECT_GT(cpu["busy_ratio"].number_or(0), 0);
  EXPECT_TRUE(outcome.result["preflight"]["passed"].is_bool());
}

TEST_F(TargetedBenchmark, the_kill_switch_ends_it_before_the_next_repeat) {
  int asked = 0;
  still_allowed_ = [&]() -> Result<Ok> {
    if (++asked < 2) return Ok{};
    return Error{ErrorCode::invalid_input, "actions are switched off on this node"};
  };

  const auto outcome =
      run(R"({"benchmark":"cpu_compute","repeats":5,"params":{"seconds":0.1,"threads":1}})");

  ASSERT_EQ(outcome.status, "done") << "what was measured before is evidence: " << outcome.message;
  EXPECT_EQ(outcome.result["repeats_done"].int_or(0), 2);
  EXPECT_EQ(outcome.result["results"].array().size(), 2U);
  ASSERT_EQ(outcome.result["notes"].array().size(), 1U);
  EXPECT_EQ(outcome.result["notes"].array()[0].string_or(""),
            "stopped: actions are switched off on this node");
}

TEST_F(TargetedBenchmark, says_which_device_lies_under_the_scratch_folder_whatever_it_watches) {
  const auto device = bench::block_device_of(folder_.root() / "scratch", "/");
  if (!device) GTEST_SKIP() << "the temporary folder lies on no block device";
  std::string other;
  for (const auto& disk : bench::disk_counters("/")) {
    if (disk.device != *device) other = disk.device;
  }
  const auto outcome = run(R"({"benchmark":"cpu_compute","params":{"seconds":0.1,"threads":1})" +
                           (other.empty() ? "}" : R"(,"watch_device":")" + other + R"("})"));

  ASSERT_EQ(outcome.status, "done") << outcome.message;
  EXPECT_EQ(outcome.result["device"].string_or(""), *device);
}

TEST_F(TargetedBenchmark, a_network_load_goes_only_to_a_peer_that_the_node_lists) {
  const std::string params =
      R"({"benchmark":"network","params":{"peer":"127.0.0.1","port":1,"seconds":1}})";
  const auto refused = run(params);
  EXPECT_EQ(refused.status, "refused");
  EXPECT_NE(refused.message.find("'127.0.0.1' is not among this node's allow_peers"),
            std::string::npos)
      << refused.message;

  allow_peers_ = {"127.0.0.1"};
  const auto tried = run(params);
  EXPECT_EQ(tried.message.find("allow_peers"), std::string::npos) << tried.message;
}

TEST_F(TargetedBenchmark, sets_what_the_device_did_against_its_own_share) {
  if (!find_program("fio")) GTEST_SKIP() << "fio is not installed: apt-get install fio";

  const auto outcome =
      run(R"({"benchmark":"storage","params":{"size":"16M","runtime":0.3,"phases":"randread"}})");

  ASSERT_EQ(outcome.status, "done") << outcome.message;
  const Json& own = outcome.result["own_io"].array()[0];
  EXPECT_GT(own["reads"].number_or(0), 0);
  EXPECT_EQ(own["write_bytes"].number_or(0), 16 << 20);
  const Json& device = outcome.result["device_counters"].array()[0];
  if (device.is_null()) GTEST_SKIP() << "the temporary folder lies on no block device";
  EXPECT_GE(device["read_bytes"].number_or(0), own["read_bytes"].number_or(0));
  EXPECT_GT(device["busy_ratio"].number_or(0), 0);
  EXPECT_FALSE(device["device"].string_or("").empty());
  EXPECT_TRUE(list_folder(folder_.root() / "scratch").empty());
}

TEST_F(TargetedBenchmark, a_run_that_is_too_long_is_shortened_and_says_so) {
  const auto outcome =
      run(R"({"benchmark":"cpu_compute","params":{"seconds":600,"threads":1}})", {.seconds = 6});

  ASSERT_EQ(outcome.status, "done") << outcome.message;
  const auto result = model::benchmark_result_from_json(outcome.result["results"].array()[0]);
  ASSERT_TRUE(result);
  const auto seconds = to_int(model::label(result->params, "seconds"));
  ASSERT_TRUE(seconds);
  EXPECT_GE(*seconds, 1);
  EXPECT_LE(*seconds, 5);
  ASSERT_EQ(outcome.result["notes"].array().size(), 1U);
  EXPECT_NE(outcome.result["notes"].array()[0].string_or("").find("shortened from 600"),
            std::string::npos);
}

TEST_F(TargetedBenchmark, stops_before_a_repeat_that_would_exceed_the_limit) {
  const auto outcome =
      run(R"({"benchmark":"cpu_compute","repeats":10,"params":{"seconds":1,"threads":1}})",
          {.seconds = 5});

  ASSERT_EQ(outcome.status, "done") << outcome.message;
  EXPECT_GE(outcome.result["repeats_done"].int_or(0), 1);
  EXPECT_LE(outcome.result["repeats_done"].int_or(0), 4);
  EXPECT_EQ(outcome.result["repeats_wanted"].int_or(0), 10);
  EXPECT_FALSE(outcome.result["notes"].array().empty());
  EXPECT_LT(outcome.finished_at_ns - outcome.started_at_ns, 6 * ns_per_s);
}

TEST_F(TargetedBenchmark, a_file_larger_than_the_limit_is_refused) {
  const auto outcome = run(R"({"benchmark":"storage","params":{"size":"2M"}})", {.bytes = 1 << 20});
  EXPECT_EQ(outcome.status, "refused");
  EXPECT_NE(outcome.message.find("1 MiB"), std::string::npos) << outcome.message;
}

TEST_F(TargetedBenchmark, wrong_requests_are_refused_with_words) {
  const std::pair<const char*, const char*> wrong[] = {
      {R"({})", "'benchmark'"},
      {R"({"benchmark":"storag"})", "did you mean 'storage'?"},
      {R"({"benchmark":"probe","repeats":0})", "'repeats'"},
      {R"({"benchmark":"probe","repeats":11})", "'repeats'"},
      {R"({"benchmark":"probe","repeats":"2"})", "'repeats'"},
      {R"({"benchmark":"probe","params":{"second":1}})", "did you mean 'seconds'?"},
      {R"({"benchmark":"probe","params":{"seconds":[1]}})", "plain value"},
      {R"({"benchmark":"probe","params":"seconds=1"})", "object"},
      {R"({"benchmark":"probe","watch_device":"../sda"})", "no block device"},
      {R"({"benchmark":"probe","watch_device":5})", "no block device"}};
  for (const auto& [params, words] : wrong) {
    const auto outcome = run(params);
    EXPECT_EQ(outcome.status, "refused") << params;
    EXPECT_NE(outcome.message.find(words), std::string::npos) << outcome.message;
  }
}

}  // namespace
}  // namespace auscult::actions
