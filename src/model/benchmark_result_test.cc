#include "model/benchmark_result.h"

#include <gtest/gtest.h>

#include <cmath>

namespace auscult::model {
namespace {

BenchmarkResult storage_run() {
  return {.run_id = "r1",
          .timestamp_ns = 1'796'117'400'123'000'000,
          .benchmark = "storage",
          .metric = "read_iops",
          .value = 93011.25,
          .unit = "1/s",
          .device = "/data",
          .tags = {.cluster = "c1", .node_id = "n1", .rank = "0"},
          .params = {{"block_bytes", "4096"}, {"direct", "true"}},
          .provenance = {.git_commit = "abc", .cluster_version = {{"kernel", "6.1"}}},
          .preflight = {.passed = false, .warnings = {"load is 3.2", "governor is powersave"}},
          .samples = {93000, 93022.5}};
}

Json parsed(std::string_view text) {
  auto json = Json::parse(text);
  EXPECT_TRUE(json) << text;
  return json ? *std::move(json) : Json();
}

std::string problem(const Json& json) {
  const auto result = benchmark_result_from_json(json);
  if (result) return "(read)";
  EXPECT_EQ(result.error().code, ErrorCode::invalid_input);
  return result.error().message;
}

TEST(BenchmarkResult, prints_in_the_form_that_others_read) {
  EXPECT_EQ(to_json(storage_run()).dump(),
            R"({"run_id":"r1","timestamp":"2026-12-01T09:30:00.123Z","benchmark":"storage",)"
            R"("metric":"read_iops","value":93011.25,"unit":"1/s","device":"/data",)"
            R"("tags":{"cluster":"c1","node_id":"n1","job_id":"","model_name":"","rank":"0",)"
            R"("gpu":""},"params":{"block_bytes":"4096","direct":"true"},"git_commit":"abc",)"
            R"("cluster_version":{"kernel":"6.1"},"preflight":{"passed":false,)"
            R"("warnings":["load is 3.2","governor is powersave"]},"samples":[93000,93022.5]})");
}

TEST(BenchmarkResult, reads_back_what_it_prints) {
  const Json printed = to_json(storage_run());
  const auto read = benchmark_result_from_json(parsed(printed.dump()));

  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->timestamp_ns, storage_run().timestamp_ns);
  EXPECT_EQ(read->tags, storage_run().tags);
  EXPECT_EQ(read->params, storage_run().params);
  EXPECT_FALSE(read->preflight.passed);
  EXPECT_EQ(to_json(*read), printed);
}

TEST(BenchmarkResult, a_result_of_others_may_lack_much_and_name_its_node_at_the_top) {
  const auto read = benchmark_result_from_json(
      parsed(R"({"run_id":"r","timestamp":1700000000.5,"benchmark":"b","metric":"m","value":7,)"
             R"("node_id":"n9","tags":{"rank":3},"params":{"b":true,"a":4096}})"));

  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->timestamp_ns, 1'700'000'000'500'000'000);
  EXPECT_EQ(read->tags.node_id, "n9");
  EXPECT_EQ(read->tags.rank, "3");
  EXPECT_EQ(read->params, (Labels{{"a", "4096"}, {"b", "true"}}));
  EXPECT_TRUE(read->preflight.passed);
}

TEST(BenchmarkResult, the_tag_wins_over_the_node_at_the_top) {
  Json json = to_json(storage_run());
  json.set("node_id", "other");
  EXPECT_EQ(benchmark_result_from_json(json)->tags.node_id, "n1");
}

TEST(BenchmarkResult, a_missing_or_wrong_member_is_named) {
  const auto with = [](std::string_view member, Json value) {
    Json json = to_json(storage_run());
    json.set(member, std::move(value));
    return json;
  };
  EXPECT_EQ(problem(Json(3)), "benchmark result: 'result' must be an object");
  EXPECT_EQ(problem(with("run_id", nullptr)),
            "benchmark result: 'run_id' must be a non-empty text");
  EXPECT_EQ(problem(with("benchmark", 1)),
            "benchmark result: 'benchmark' must be a non-empty text");
  EXPECT_EQ(problem(with("metric", "")), "benchmark result: 'metric' must be a non-empty text");
  EXPECT_EQ(problem(with("value", "7")), "benchmark result: 'value' must be a finite number");
  EXPECT_EQ(problem(with("value", nullptr)), "benchmark result: 'value' must be a finite number");
  EXPECT_EQ(problem(with("samples", Json().push(1).push("x"))),
            "benchmark result: 'samples' must be a list of numbers");
  EXPECT_EQ(problem(with("timestamp", "yesterday")).rfind("benchmark result: 'timestamp': ", 0),
            0U);
  EXPECT_EQ(problem(with("timestamp", nullptr)).rfind("benchmark result: 'timestamp': ", 0), 0U);
}

TEST(BenchmarkResult, tags_that_are_no_object_would_lose_the_node_and_are_refused) {
  const auto json = Json::parse(
      R"({"run_id":"r","benchmark":"b","metric":"m","value":1,"timestamp":1,"tags":"x"})");
  EXPECT_FALSE(benchmark_result_from_json(*json));
}

TEST(BenchmarkResult, a_sample_that_is_no_number_survives_the_round_trip) {
  BenchmarkResult result = storage_run();
  result.samples = {1, std::nan("")};
  const auto read = benchmark_result_from_json(to_json(result));
  ASSERT_TRUE(read);
  ASSERT_EQ(read->samples.size(), 2U);
  EXPECT_TRUE(std::isnan(read->samples[1]));
}

}  // namespace
}  // namespace auscult::model
