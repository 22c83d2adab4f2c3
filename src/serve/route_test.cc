#include "serve/route.h"

#include <set>

#include "serve/testing.h"

namespace auscult::serve {
namespace {

TEST(Router, a_segment_in_braces_matches_anything_and_is_named) {
  const Router router;

  const auto match = router.match("GET", "/api/auscult/v1/incidents/inc-1/report");

  ASSERT_NE(match.endpoint, nullptr);
  EXPECT_EQ(match.endpoint->path, "/api/auscult/v1/incidents/{id}/report");
  EXPECT_EQ(match.path, (PathParameters{{"id", "inc-1"}}));
}

TEST(Router, more_or_fewer_segments_are_another_path) {
  const Router router;
  EXPECT_EQ(router.match("GET", "/api/auscult/v1/incidents/a/b").endpoint, nullptr);
  EXPECT_EQ(router.match("GET", "/api/auscult").endpoint, nullptr);
  EXPECT_EQ(router.match("GET", "").endpoint, nullptr);
  EXPECT_FALSE(router.match("GET", "/nothing").other_method);
}

TEST(Router, one_path_may_have_several_methods) {
  const Router router;
  const auto get = router.match("GET", "/api/auscult/v1/benchmarks/results");
  const auto post = router.match("POST", "/api/auscult/v1/benchmarks/results");
  ASSERT_NE(get.endpoint, nullptr);
  ASSERT_NE(post.endpoint, nullptr);
  EXPECT_NE(get.endpoint, post.endpoint);
}

TEST(Router, every_endpoint_is_reached_by_its_own_path_and_answers_in_one_way) {
  const Router router;
  std::set<std::string> seen;
  for (const Endpoint& endpoint : router.endpoints()) {
    EXPECT_EQ(router.match(endpoint.method, endpoint.path).endpoint, &endpoint) << endpoint.path;
    EXPECT_NE(endpoint.answer == nullptr, endpoint.later == nullptr) << endpoint.path;
    EXPECT_FALSE(endpoint.summary.empty()) << endpoint.path;
    EXPECT_NE(endpoint.role, Role::unstated) << endpoint.path;
    EXPECT_TRUE(seen.insert(std::string(endpoint.method) + std::string(endpoint.path)).second);
  }
}

TEST(Router, head_finds_what_get_finds_except_a_long_poll_whose_answer_would_be_lost) {
  const Router router;
  size_t n_long_polls = 0;
  for (const Endpoint& endpoint : router.endpoints()) {
    if (endpoint.method != "GET") continue;
    const auto head = router.match("HEAD", endpoint.path);
    EXPECT_EQ(head.endpoint, endpoint.later == nullptr ? &endpoint : nullptr) << endpoint.path;
    EXPECT_EQ(head.other_method, endpoint.later != nullptr) << endpoint.path;
    n_long_polls += endpoint.later == nullptr ? 0 : 1;
  }
  EXPECT_EQ(n_long_polls, 1U);
  EXPECT_TRUE(router.match("HEAD", "/api/auscult/v1/diagnose").other_method) << "POST only";
}

TEST(AnswerNow, the_wrong_method_is_405_and_nothing_there_is_404) {
  Api api;
  EXPECT_EQ(api.call("DELETE", "/incidents").status, 405);
  EXPECT_EQ(api.call("GET", "/tasks/check_metric").status, 405);
  EXPECT_EQ(api.call("GET", "/nothing").status, 404);
  EXPECT_EQ(api.refusal("GET", "/\"x\""), "404 there is nothing at /api/auscult/v1/\"x\"");
}

TEST(AnswerNow, a_long_poll_is_not_answered_here) {
  Api api;
  EXPECT_EQ(api.call("GET", "/agent/actions").status, 404);
}

TEST(ErrorResponse, has_the_status_of_its_code_and_says_when_to_try_again) {
  EXPECT_EQ(error_response({ErrorCode::invalid_input, "a"}).status, 400);
  EXPECT_EQ(error_response({ErrorCode::not_found, "a"}).status, 404);
  EXPECT_EQ(error_response({ErrorCode::corrupt, "a"}).status, 500);
  EXPECT_EQ(error_response({ErrorCode::internal, "a"}).status, 500);
  const auto busy = error_response({ErrorCode::unavailable, "say \"please\""});
  EXPECT_EQ(busy.status, 503);
  EXPECT_EQ(net::header(busy.headers, "Retry-After"), "1");
  EXPECT_EQ(busy.body, R"({"error":"say \"please\""})");
}

TEST(ActorOf, is_the_name_of_the_token_before_what_the_body_says) {
  auto request = request_of("POST", "/");
  const Json body(Json::Object{{"by", "ada"}});
  EXPECT_EQ(actor_of(request, Json(Json::Object{}), "user"), "user");
  EXPECT_EQ(actor_of(request, body, "user"), "ada");
  request.caller = "grafana";
  EXPECT_EQ(actor_of(request, body, "user"), "grafana");
}

TEST(Denial, asks_for_a_token_where_none_was_known) {
  const auto unknown = denial({.admitted = false, .message = "this needs"});
  EXPECT_EQ(unknown.status, 401);
  EXPECT_EQ(net::header(unknown.headers, "WWW-Authenticate"), "Bearer");
  EXPECT_EQ(unknown.body, R"({"error":"this needs"})");
  EXPECT_EQ(denial({.admitted = false, .known = true, .message = "no"}).status, 403);
}

TEST(BodyObject, nothing_is_an_empty_object_and_other_values_are_refused) {
  EXPECT_TRUE(body_object(request_of("POST", "/"))->is_object());
  EXPECT_TRUE(body_object(request_of("POST", "/", " \n"))->is_object());
  EXPECT_FALSE(body_object(request_of("POST", "/", "[1]")));
  const auto broken = body_object(request_of("POST", "/", "{\"a\":"));
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, ErrorCode::invalid_input);
  EXPECT_EQ(broken.error().message.substr(0, 13), "request body:");
}

}  // namespace
}  // namespace auscult::serve
