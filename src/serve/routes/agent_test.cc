#include <future>

#include "serve/testing.h"

namespace auscult::serve {
namespace {

// Sends a long poll; the future holds its answer.
std::future<net::Response> poll(Api& api, const net::Headers& query) {
  const auto match = api.router.match("GET", "/api/auscult/v1/agent/actions");
  auto promise = std::make_shared<std::promise<net::Response>>();
  match.endpoint->later(
      request_of("GET", "/api/auscult/v1/agent/actions", "", query), match.path, api.context,
      [promise](net::Response response) { promise->set_value(std::move(response)); });
  return promise->get_future();
}

actions::ActionRequest request(const std::string& id) {
  return {.id = id,
          .action_class = "snapshot",
          .action = "process_snapshot",
          .target = "node1",
          .issued_at_ns = api_now_ns,
          .expires_at_ns = api_now_ns + 30 * ns_per_s};
}

TEST(AgentRoute, an_action_goes_to_the_node_and_its_result_comes_back) {
  Api api;
  auto polled = poll(api, {{"node", "node1"}});
  auto performed =
      std::async(std::launch::async, [&] { return api.broker.perform(request("a1")); });

  const auto response = polled.get();
  EXPECT_EQ(response.status, 200);
  const auto requests = Json::parse(response.body);
  ASSERT_EQ((*requests)["actions"].array().size(), 1U);
  EXPECT_EQ((*requests)["actions"].array()[0]["id"], Json("a1"));

  const auto finished = actions::to_json(actions::ActionResult{.id = "a1", .status = "done"});
  EXPECT_EQ(api.refusal("POST", "/agent/actions/other/result", finished.dump()),
            "400 the result is of 'a1', not of 'other'");
  EXPECT_EQ(api.call("POST", "/agent/actions/a1/result", finished.dump()).status, 200);
  const auto result = performed.get();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->status, "done");
}

TEST(AgentRoute, a_poll_without_a_node_is_refused) {
  Api api;
  EXPECT_EQ(poll(api, {}).get().status, 400);
}

TEST(AgentRoute, a_poll_is_refused_while_the_server_stops) {
  Api api;
  api.broker.stop();
  EXPECT_EQ(poll(api, {{"node", "node1"}}).get().status, 503);
}

TEST(AgentRoute, a_result_that_nobody_waits_for_is_not_found) {
  Api api;
  const auto late = actions::to_json(actions::ActionResult{.id = "a9", .status = "done"});
  EXPECT_EQ(api.call("POST", "/agent/actions/a9/result", late.dump()).status, 404);
  EXPECT_EQ(api.call("POST", "/agent/actions/a9/result", "[]").status, 400);
  EXPECT_EQ(api.call("POST", "/agent/actions/a9/result", "{}").status, 400);
}

TEST(AgentRoute, without_a_server_there_is_nobody_to_bring_results_to) {
  Api api;
  api.context.broker = nullptr;
  EXPECT_EQ(api.call("POST", "/agent/actions/a1/result", "{}").status, 503);
}

}  // namespace
}  // namespace auscult::serve
