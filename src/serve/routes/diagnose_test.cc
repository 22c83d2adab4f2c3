#include "serve/incident.h"
#include "serve/testing.h"
#include "store/test_folder.h"

namespace auscult::serve {
namespace {

TEST(DiagnoseRoute, lists_the_tasks_with_their_parameters) {
  Api api;
  const auto tasks = api.json("GET", "/tasks");

  ASSERT_EQ(tasks["tasks"].array().size(), diagnose::all_tasks().size());
  for (const Json& task : tasks["tasks"].array()) {
    EXPECT_FALSE(task["summary"].string_or("").empty());
    EXPECT_FALSE(task["parameters"].array().empty()) << task.dump();
  }
}

TEST(DiagnoseRoute, a_task_answers_with_its_finding) {
  Api api;
  diagnose::testing::add_gauge(api.store, "node_memory_MemAvailable_bytes", {},
                               diagnose::testing::series("4e9x75"));
  diagnose::testing::add_gauge(api.store, "node_memory_MemTotal_bytes", {},
                               diagnose::testing::series("8e9x75"));

  const auto finding = api.json("POST", "/tasks/check_metric",
                                Json(Json::Object{{"node", "node1"},
                                                  {"signal", "memory_available_ratio"},
                                                  {"start", diagnose::testing::at(60)},
                                                  {"end", diagnose::testing::at(75)},
                                                  {"baseline_start", diagnose::testing::at(0)},
                                                  {"baseline_end", diagnose::testing::at(60)}})
                                    .dump());

  EXPECT_EQ(finding["value"], Json(0.5)) << finding.dump();
  EXPECT_EQ(finding["baseline"], Json(0.5)) << finding.dump();
  EXPECT_EQ(finding["unit"], Json("1"));
}

TEST(DiagnoseRoute, an_unknown_task_or_parameter_is_refused_with_the_right_one) {
  Api api;
  EXPECT_NE(api.refusal("POST", "/tasks/check_metrik", "{}").find("check_metric"),
            std::string::npos);
  EXPECT_EQ(api.refusal("POST", "/tasks/check_metric", R"({"sginal":"x"})").substr(0, 3), "400");
  EXPECT_EQ(api.refusal("POST", "/tasks/check_metric", "[]").substr(0, 3), "400");
}

TEST(DiagnoseRoute, a_diagnosis_on_demand_is_an_incident_with_a_verdict_and_a_report) {
  const store::TestFolder folder(testing::TempDir(), "diagnose_route");
  Api api;
  api.engine.data_folder = folder.path().string();

  const auto diagnosis =
      api.json("POST", "/diagnose", R"({"node_id":"node1","since":"10m","by":"ada"})");

  EXPECT_EQ(diagnosis["verdict"], Json("no_data"));
  const auto id = diagnosis["incident"]["id"].string_or("");
  const auto incident = read_incident(api.store, id);
  ASSERT_TRUE(incident) << incident.error().message;
  EXPECT_EQ(incident->status, "diagnosed");
  EXPECT_EQ(incident->events[0].actor, "ada");
  EXPECT_EQ(incident->events[0].detail["from"], Json("127.0.0.1:5"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "reports" / id / "diagnosis-report.md"));
}

TEST(DiagnoseRoute, a_diagnosis_needs_a_node_and_a_duration) {
  Api api;
  EXPECT_EQ(api.refusal("POST", "/diagnose", "{}"), "400 'node_id' is missing");
  EXPECT_EQ(api.refusal("POST", "/diagnose", R"({"node_id":"n","since":"long"})").substr(0, 3),
            "400");
  EXPECT_TRUE(api.store.incident_ids()->empty());
  for (const char* since : {"\"0s\"", "\"99999d\"", "5"}) {
    EXPECT_NE(
        api.refusal("POST", "/diagnose", std::string(R"({"node_id":"n1","since":)") + since + "}")
            .find("'since'"),
        std::string::npos)
        << since;
  }
  EXPECT_NE(api.refusal("POST", "/diagnose", R"({"node_id":")" + std::string(300, 'n') + R"("})")
                .find("'node_id'"),
            std::string::npos);
  EXPECT_NE(api.refusal("POST", "/diagnose", R"({"node_id":"n1\u0007"})").find("'node_id'"),
            std::string::npos);
}

TEST(DiagnoseRoute, says_so_when_the_store_takes_nothing) {
  Api api;
  api.store.fail_writes(Error{ErrorCode::unavailable, "full"});
  EXPECT_EQ(api.refusal("POST", "/diagnose", R"({"node_id":"n"})"), "503 full");
}

}  // namespace
}  // namespace auscult::serve
