#include "serve/testing.h"

namespace auscult::serve {
namespace {

model::BenchmarkResult result(const std::string& run, double value, int64_t age_s = 10) {
  return {.run_id = run,
          .timestamp_ns = api_now_ns - age_s * ns_per_s,
          .benchmark = "cpu_compute",
          .metric = "gflops",
          .value = value,
          .unit = "GFLOP/s",
          .device = "cpu",
          .tags = {.node_id = "node1"}};
}

std::string body_of(const std::vector<model::BenchmarkResult>& results) {
  Json list{Json::Array{}};
  for (const auto& one : results) list.push(model::to_json(one));
  return Json(Json::Object{{"results", std::move(list)}}).dump();
}

TEST(BenchmarksRoute, results_that_were_sent_can_be_read_again) {
  Api api;
  EXPECT_EQ(api.json("POST", "/benchmarks/results",
                     body_of({result("r1", 10), result("r2", 11)}))["stored"],
            Json(2));

  const auto all = api.json("GET", "/benchmarks/results");
  ASSERT_EQ(all["results"].array().size(), 2U);
  EXPECT_EQ(model::benchmark_result_from_json(all["results"].array()[0])->run_id, "r1");
  const auto count = [&](const net::Headers& query) {
    return api.json("GET", "/benchmarks/results", "", query)["results"].array().size();
  };
  EXPECT_EQ(count({{"node", "node1"}, {"benchmark", "cpu_compute"}}), 2U);
  EXPECT_EQ(count({{"node", "node2"}}), 0U);
  EXPECT_EQ(count({{"benchmark", "storage"}}), 0U);
  EXPECT_EQ(count({{"since", "5s"}}), 0U);
}

TEST(BenchmarksRoute, what_nobody_asked_further_back_is_of_the_last_seven_days) {
  Api api;
  constexpr int64_t week_s = 7 * 86'400;
  api.json("POST", "/benchmarks/results",
           body_of({result("within", 10, week_s), result("older", 11, week_s + 1)}));

  const auto week = api.json("GET", "/benchmarks/results")["results"].array();
  ASSERT_EQ(week.size(), 1U);
  EXPECT_EQ(week[0]["run_id"], Json("within"));
  EXPECT_EQ(api.json("GET", "/benchmarks/results", "", {{"since", "8d"}})["results"].array().size(),
            2U);
}

TEST(BenchmarksRoute, one_wrong_result_refuses_all) {
  Api api;
  auto body = body_of({result("r1", 10)});
  body.insert(body.rfind(']'), R"(,{"run_id":"x"})");

  EXPECT_EQ(api.call("POST", "/benchmarks/results", body).status, 400);
  EXPECT_EQ(api.call("POST", "/benchmarks/results", "{}").status, 400);
  EXPECT_EQ(api.call("POST", "/benchmarks/results", "{").status, 400);
  EXPECT_TRUE(api.json("GET", "/benchmarks/results")["results"].array().empty());
}

TEST(BenchmarksRoute, results_are_refused_while_the_store_is_full) {
  Api api;
  api.store.fail_writes(Error{ErrorCode::unavailable, "full"});
  EXPECT_EQ(api.refusal("POST", "/benchmarks/results", body_of({result("r1", 10)})), "503 full");
}

TEST(BenchmarksRoute, drift_is_found_where_the_newest_runs_are_worse) {
  Api api;
  std::vector<model::BenchmarkResult> results;
  for (int i = 0; i < 9; ++i) {
    results.push_back(result("old" + std::to_string(i), 100 + i % 3, 3600 - i * 10));
  }
  for (int i = 0; i < 5; ++i) results.push_back(result("new" + std::to_string(i), 50 + i, 30 - i));
  api.json("POST", "/benchmarks/results", body_of(results));

  const auto drift = api.json("GET", "/benchmarks/drift", "", {{"node", "node1"}});

  ASSERT_EQ(drift["drift"].array().size(), 1U);
  EXPECT_EQ(drift["drift"].array()[0]["verdict"], Json("found")) << drift.dump();
  EXPECT_EQ(drift["drift"].array()[0]["baseline_runs"], Json(9));
  EXPECT_EQ(api.json("GET", "/benchmarks/drift", "", {{"fresh_runs", "1"}})["drift"]
                .array()[0]["verdict"],
            Json("no_baseline"));
}

TEST(BenchmarksRoute, wrong_parameters_are_named) {
  Api api;
  EXPECT_NE(api.refusal("GET", "/benchmarks/drift", "", {{"fresh_runs", "0"}}).find("'fresh_runs'"),
            std::string::npos);
  EXPECT_NE(api.refusal("GET", "/benchmarks/drift", "", {{"min_effect", "x"}}).find("'min_effect'"),
            std::string::npos);
  EXPECT_EQ(api.refusal("GET", "/benchmarks/drift", "", {{"min_effect", "nan"}}).substr(0, 3),
            "400");
  EXPECT_NE(api.refusal("GET", "/benchmarks/results", "", {{"since", "soon"}}).find("'since'"),
            std::string::npos);
}

// A counter that shows an illness from second 62 on.
void fall_ill(Api& api) {
  diagnose::testing::add_counter(api.store, "node_pressure_io_waiting_seconds_total", {},
                                 diagnose::testing::series("0.01x62 0.95x12"));
}

TEST(BenchmarksRoute, an_announced_benchmark_is_no_illness) {
  Api ill;
  fall_ill(ill);
  ASSERT_EQ(ill.watch.evaluate("node1", api_now_ns)->size(), 1U) << "the example is no illness";

  Api api;
  api.clock.advance(-std::chrono::seconds(14));
  const auto begun = api.json("POST", "/benchmarks/begin", R"({"node_id":"node1","seconds":60})");
  api.clock.advance(std::chrono::seconds(14));
  fall_ill(api);
  EXPECT_TRUE(api.watch.evaluate("node1", api_now_ns)->empty());
  EXPECT_EQ(begun["begin_ns"], Json(api_now_ns - 14 * ns_per_s));

  // It was over long ago: what comes now is judged again.
  ManualClock& clock = api.clock;
  clock.advance(-std::chrono::seconds(14));
  api.json("POST", "/benchmarks/end",
           Json(Json::Object{{"node_id", "node1"}, {"begin_ns", begun["begin_ns"]}}).dump());
  EXPECT_EQ(api.watch.evaluate("node1", api_now_ns)->size(), 1U);
}

TEST(BenchmarksRoute, an_announcement_names_a_node_and_at_most_an_hour) {
  Api api;
  for (const char* body : {"{}", R"({"node_id":"n"})", R"({"node_id":"n","seconds":3601})",
                           R"({"node_id":"n","seconds":-1})", R"({"seconds":5})"}) {
    EXPECT_EQ(api.call("POST", "/benchmarks/begin", body).status, 400) << body;
  }
  EXPECT_EQ(api.call("POST", "/benchmarks/begin", R"({"node_id":"n","seconds":3600})").status, 200);
  EXPECT_EQ(api.call("POST", "/benchmarks/end", R"({"node_id":"n"})").status, 400);
}

TEST(BenchmarksRoute, without_a_server_an_announcement_changes_nothing) {
  Api api;
  api.context.watch = nullptr;
  EXPECT_EQ(api.call("POST", "/benchmarks/begin", R"({"node_id":"n","seconds":1})").status, 200);
}

}  // namespace
}  // namespace auscult::serve
