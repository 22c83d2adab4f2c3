#include "diagnose/action_record.h"
#include "serve/incident.h"
#include "serve/testing.h"

namespace auscult::serve {
namespace {

namespace event = diagnose::event;

Json opened() { return Json(Json::Object{{"node_id", "node1"}, {"trigger", "tasks wait"}}); }

TEST(IncidentsRoute, lists_the_newest_first) {
  Api api;
  api.add_event("i1", event::opened, opened());
  api.add_event("i2", event::opened, opened());

  const auto list = api.json("GET", "/incidents")["incidents"].array();

  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0]["id"], Json("i2"));
  EXPECT_EQ(list[0]["status"], Json("open"));
  EXPECT_FALSE(list[0].has("events"));
}

TEST(IncidentsRoute, shows_one_with_its_events) {
  Api api;
  api.add_event("i1", event::opened, opened());
  EXPECT_EQ(api.json("GET", "/incidents/i1")["events"].array().size(), 1U);
  EXPECT_EQ(api.call("GET", "/incidents/i2").status, 404);
}

TEST(IncidentsRoute, the_report_comes_as_markdown_and_as_json_once_there_is_one) {
  Api api;
  api.add_event("i1", event::opened, opened());
  EXPECT_EQ(api.refusal("GET", "/incidents/i1/report"), "404 incident i1 has no diagnosis yet");

  api.add_event("i1", event::verdict, verdict("i1"));
  const auto markdown = api.call("GET", "/incidents/i1/report");
  EXPECT_EQ(net::header(markdown.headers, "Content-Type"), "text/markdown; charset=utf-8");
  EXPECT_TRUE(markdown.body.starts_with("# Diagnosis of i1\n"));
  EXPECT_EQ(api.json("GET", "/incidents/i1/report", "", {{"format", "json"}})["verdict"],
            Json("fault"));
}

TEST(IncidentsRoute, closing_keeps_who_and_what_and_from_where) {
  Api api;
  api.add_event("i1", event::opened, opened());

  const auto closed = api.json("POST", "/incidents/i1/close",
                               R"({"by":"ada","verdict":"cpu_contention","words":"a stray job"})");

  EXPECT_EQ(closed["status"], Json("closed"));
  EXPECT_EQ(closed["closed"]["by"], Json("ada"));
  EXPECT_EQ(closed["closed"]["verdict"], Json("cpu_contention"));
  EXPECT_EQ(closed["closed"]["words"], Json("a stray job"));
  EXPECT_EQ(closed["closed"]["from"], Json("127.0.0.1:5"));
}

TEST(IncidentsRoute, nobody_cannot_close_and_nothing_cannot_be_closed) {
  Api api;
  api.add_event("i1", event::opened, opened());
  EXPECT_EQ(api.call("POST", "/incidents/i1/close", "{}").status, 400);
  EXPECT_EQ(api.call("POST", "/incidents/i2/close", R"({"by":"ada"})").status, 404);
  EXPECT_EQ(api.json("GET", "/incidents/i1")["status"], Json("open"));
  EXPECT_EQ(api.store.incident_ids()->size(), 1U);
}

TEST(IncidentsRoute, who_has_a_token_closes_in_its_name) {
  Api api;
  api.add_event("i1", "opened", Json(Json::Object{{"node_id", "n"}}));
  auto request = request_of("POST", "/api/auscult/v1/incidents/i1/close", R"({"by":"ada"})");
  request.caller = "pager";
  ASSERT_EQ(answer_now(api.router, request, api.context).status, 200);

  const auto incident = read_incident(api.store, "i1");
  ASSERT_TRUE(incident);
  EXPECT_EQ(incident->events.back().actor, "pager");
  EXPECT_EQ(incident->events.back().detail["by"], Json("ada"));
}

}  // namespace
}  // namespace auscult::serve
