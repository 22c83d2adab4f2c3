#include "diagnose/action_record.h"
#include "serve/testing.h"

namespace auscult::serve {
namespace {

namespace event = diagnose::event;

TEST(StatsRoute, measures_from_the_begin_of_the_illness) {
  Api api;
  api.add_event("i1", event::opened, Json(Json::Object{{"node_id", "node1"}}));
  api.add_event("i1", event::verdict, verdict("i1"));
  api.add_event("i1", event::closed, Json(Json::Object{}),
                diagnose::testing::start_ns + 600 * ns_per_s, "ada");
  api.add_event("i2", event::opened, Json(Json::Object{{"node_id", "node1"}}));

  const auto stats = api.json("GET", "/stats");

  EXPECT_EQ(stats["incidents"], Json(2));
  EXPECT_EQ(stats["located"], Json(1));
  EXPECT_EQ(stats["time_to_notice"]["median_seconds"].number_or(0), 5);
  EXPECT_EQ(stats["time_to_locate"]["median_seconds"].number_or(0), 30);
  EXPECT_EQ(stats["time_to_repair"]["median_seconds"].number_or(0), 600);
  EXPECT_EQ(stats["time_to_repair"]["n"], Json(1));
}

TEST(StatsRoute, what_was_not_located_does_not_count_as_located) {
  Api api;
  api.add_event("i1", event::verdict, verdict("i1", "unknown"));
  const auto stats = api.json("GET", "/stats");
  EXPECT_EQ(stats["located"], Json(0));
  EXPECT_EQ(stats["time_to_locate"]["n"], Json(0));
  EXPECT_EQ(stats["time_to_notice"]["n"], Json(1));
}

TEST(StatsRoute, what_a_person_asked_for_was_neither_noticed_nor_located) {
  Api api;
  api.add_event("i1", event::opened, Json(Json::Object{{"trigger_name", "asked"}}));
  api.add_event("i1", event::verdict, verdict("i1"));
  const auto stats = api.json("GET", "/stats");
  EXPECT_EQ(stats["incidents"], Json(1));
  EXPECT_EQ(stats["located"], Json(0));
  EXPECT_EQ(stats["time_to_notice"]["n"], Json(0));
  EXPECT_EQ(stats["time_to_locate"]["n"], Json(0));
}

TEST(StatsRoute, a_person_who_names_another_fault_takes_the_location_back) {
  Api api;
  for (const auto& [id, judged] :
       {std::pair{"i1", "storage_slow"}, {"i2", "cpu_contention"}, {"i3", ""}}) {
    api.add_event(id, event::opened, Json(Json::Object{{"trigger_name", "cpu_pressure"}}));
    api.add_event(id, event::verdict, verdict(id));
    api.add_event(id, event::closed, Json(Json::Object{{"verdict", judged}}), api_now_ns, "ada");
  }
  const auto stats = api.json("GET", "/stats");
  EXPECT_EQ(stats["located"], Json(2));
  EXPECT_EQ(stats["time_to_locate"]["n"], Json(2));
  EXPECT_EQ(stats["time_to_notice"]["n"], Json(3));
}

TEST(StatsRoute, nothing_measured_is_null_and_not_zero) {
  Api api;
  const auto stats = api.json("GET", "/stats");
  EXPECT_EQ(stats["incidents"], Json(0));
  EXPECT_TRUE(stats["time_to_locate"]["median_seconds"].is_null());
}

}  // namespace
}  // namespace auscult::serve
