#include "serve/testing.h"

namespace auscult::serve {
namespace {

TEST(NodesRoute, lists_the_nodes_of_the_last_hour_with_what_the_watch_saw) {
  Api api;
  diagnose::testing::add_counter(api.store, "node_pressure_io_waiting_seconds_total", {},
                                 diagnose::testing::series("0.01x74"));
  ASSERT_TRUE(api.watch.evaluate("node1", api_now_ns));

  const auto nodes = api.json("GET", "/nodes")["nodes"].array();

  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(nodes[0]["node_id"], Json("node1"));
  std::map<std::string, std::string> verdicts;
  for (const Json& trigger : nodes[0]["triggers"].array()) {
    verdicts[trigger["trigger"].string_or("")] = trigger["verdict"].string_or("");
  }
  EXPECT_EQ(verdicts.at("io_pressure"), "clear");
  EXPECT_EQ(verdicts.at("cpu_pressure"), "no_data");
}

TEST(NodesRoute, a_node_that_was_silent_for_an_hour_is_gone) {
  Api api;
  diagnose::testing::add_gauge(api.store, "x", {}, {1});
  api.clock.advance(std::chrono::minutes(58));
  EXPECT_EQ(api.json("GET", "/nodes")["nodes"].array().size(), 1U);
  api.clock.advance(std::chrono::minutes(2));
  EXPECT_TRUE(api.json("GET", "/nodes")["nodes"].array().empty());
}

TEST(NodesRoute, without_a_server_nothing_is_watched) {
  Api api;
  diagnose::testing::add_gauge(api.store, "x", {}, {1});
  api.context.watch = nullptr;
  EXPECT_TRUE(api.json("GET", "/nodes")["nodes"].array()[0]["triggers"].array().empty());
}

}  // namespace
}  // namespace auscult::serve
