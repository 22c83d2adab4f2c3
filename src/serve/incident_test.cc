#include "serve/incident.h"

#include "base/file.h"
#include "serve/testing.h"
#include "store/test_folder.h"

namespace auscult::serve {
namespace {

namespace event = diagnose::event;

Json opened() { return Json(Json::Object{{"node_id", "node1"}, {"trigger", "tasks wait"}}); }

TEST(Incident, is_open_until_there_is_a_verdict_and_closed_when_a_person_says_so) {
  Api api;
  api.add_event("i1", event::opened, opened());
  auto incident = read_incident(api.store, "i1");
  ASSERT_TRUE(incident) << incident.error().message;
  EXPECT_EQ(incident->status, "open");
  EXPECT_EQ(incident->node_id, "node1");
  EXPECT_EQ(incident->trigger, "tasks wait");
  EXPECT_EQ(incident->opened_at_ns, api_now_ns);
  EXPECT_FALSE(incident->diagnosis);

  api.add_event("i1", event::verdict, verdict("i1"));
  incident = read_incident(api.store, "i1");
  EXPECT_EQ(incident->status, "diagnosed");
  EXPECT_EQ(incident->diagnosis->verdict, "fault");
  EXPECT_TRUE(incident->closed.is_null());

  api.add_event("i1", event::closed, Json(Json::Object{{"words", "thanks"}}), api_now_ns, "ada");
  incident = read_incident(api.store, "i1");
  EXPECT_EQ(incident->status, "closed");
  EXPECT_EQ(incident->closed["by"], Json("ada"));
  EXPECT_EQ(incident->closed["at"], Json(format_time(api_now_ns)));
  EXPECT_EQ(incident->closed["words"], Json("thanks"));
  EXPECT_EQ(incident->events.size(), 3U);
}

TEST(Incident, without_an_event_is_not_found) {
  Api api;
  const auto incident = read_incident(api.store, "i1");
  ASSERT_FALSE(incident);
  EXPECT_EQ(incident.error().code, ErrorCode::not_found);
}

TEST(Incident, its_json_names_the_supported_fault_and_no_refuted_one) {
  Api api;
  api.add_event("i1", event::opened, opened());
  const auto open = to_json(*read_incident(api.store, "i1"), false);
  EXPECT_TRUE(open["verdict"].is_null());
  EXPECT_TRUE(open["fault"].is_null());
  EXPECT_FALSE(open.has("events"));

  api.add_event("i1", event::verdict, verdict("i1"));
  const auto json = to_json(*read_incident(api.store, "i1"), true);
  EXPECT_EQ(json["fault"], Json("cpu_contention"));
  EXPECT_EQ(json["verdict"], Json("fault"));
  EXPECT_EQ(json["events"].array().size(), 2U);
  EXPECT_EQ(json["diagnosis"]["incident"]["id"], Json("i1"));
}

// What of the id does not count up.
std::string without_number(const std::string& id) { return id.substr(0, id.rfind('-')); }

TEST(IncidentId, is_sortable_and_a_file_name_everywhere) {
  const int64_t time_ns = 1'764'581'400 * ns_per_s + 123 * 1'000'000;
  EXPECT_EQ(without_number(new_incident_id("node7", time_ns)), "inc-20251201T093000.123-node7");
  EXPECT_EQ(without_number(new_incident_id("../a b:c", time_ns)),
            "inc-20251201T093000.123-___a_b_c");
  EXPECT_LT(new_incident_id("z", api_now_ns), new_incident_id("a", api_now_ns + 1'000'000));
}

TEST(IncidentId, two_of_one_node_at_the_same_time_differ) {
  EXPECT_NE(new_incident_id("node7", api_now_ns), new_incident_id("node7", api_now_ns));
  const std::string long_name(300, 'n');
  EXPECT_NE(new_incident_id(long_name + "1", api_now_ns),
            new_incident_id(long_name + "2", api_now_ns));
}

TEST(IncidentId, leaves_room_for_the_ids_of_its_actions) {
  constexpr size_t most_action_id_bytes = 128;
  EXPECT_LE(new_incident_id(std::string(300, 'n'), api_now_ns).size() +
                std::string("18446744073709551615").size() + std::string(".a99999").size(),
            most_action_id_bytes);
}

TEST(WriteReport, leaves_markdown_and_json_that_reads_back) {
  const store::TestFolder folder(testing::TempDir(), "write_report");
  const auto diagnosis = *diagnose::diagnosis_from_json(verdict("i1"));

  const auto path = write_report(folder.path().string(), diagnosis);

  ASSERT_TRUE(path) << path.error().message;
  EXPECT_EQ(*path, (folder.path() / "reports/i1/diagnosis-report.md").string());
  EXPECT_TRUE(read_file(*path)->starts_with("# Diagnosis of i1\n"));
  const auto json = Json::parse(*read_file(folder.path() / "reports/i1/diagnosis-report.json"));
  ASSERT_TRUE(json);
  EXPECT_EQ(diagnose::diagnosis_from_json(*json)->incident_id, "i1");
}

}  // namespace
}  // namespace auscult::serve
