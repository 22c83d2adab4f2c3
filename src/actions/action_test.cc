#include "actions/action.h"

#include <gtest/gtest.h>

namespace auscult::actions {
namespace {

constexpr std::string_view text =
    R"({"id":"a1","class":"benchmark","action":"targeted_benchmark","target":"n1",)"
    R"("params":{"benchmark":"storage","repeats":2},"limits":{"seconds":30.5,"bytes":1048576},)"
    R"("issued_at":"2026-12-01T09:30:00.000Z","expires_at":"2026-12-01T09:31:00.000Z",)"
    R"("incident":"i7"})";

Json changed(std::string_view member, Json value) {
  Json json = *Json::parse(text);
  json.set(member, std::move(value));
  return json;
}

TEST(ActionRequest, reads_the_format_of_the_channel_and_writes_it_again) {
  const auto request = action_request_from_json(*Json::parse(text));

  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->id, "a1");
  EXPECT_EQ(request->action_class, "benchmark");
  EXPECT_EQ(request->action, "targeted_benchmark");
  EXPECT_EQ(request->target, "n1");
  EXPECT_EQ(request->params["repeats"].int_or(0), 2);
  EXPECT_EQ(request->limits.seconds, 30.5);
  EXPECT_EQ(request->limits.bytes, 1048576);
  EXPECT_EQ(request->expires_at_ns - request->issued_at_ns, 60 * ns_per_s);
  EXPECT_EQ(request->incident, "i7");
  EXPECT_EQ(to_json(*request).dump(), text);
}

TEST(ActionRequest, missing_and_wrong_members_are_named) {
  const std::pair<std::string, Json> wrong[] = {
      {"id", Json()},
      {"id", Json("../../etc")},
      {"id", Json(std::string(129, 'a'))},
      {"class", Json(3)},
      {"action", Json("")},
      {"target", Json()},
      {"params", Json("x")},
      {"params", Json()},
      {"limits", Json()},
      {"limits", Json(Json::Object{{"seconds", 0}, {"bytes", 1}})},
      {"limits", Json(Json::Object{{"seconds", 1}, {"bytes", -1}})},
      {"limits", Json(Json::Object{{"seconds", 1}, {"bytes", 0.5}})},
      {"limits", Json(Json::Object{{"seconds", 1}, {"bytes", 1}, {"threads", 1}})},
      {"issued_at", Json("yesterday")},
      {"expires_at", Json(1700000000)},
      {"priority", Json(1)}};
  for (const auto& [member, value] : wrong) {
    const auto request = action_request_from_json(changed(member, value));
    ASSERT_FALSE(request) << member << " " << value.dump();
    EXPECT_EQ(request.error().code, ErrorCode::invalid_input);
    EXPECT_NE(request.error().message.find(member == "limits" ? "limit" : member),
              std::string::npos)
        << request.error().message;
  }
  EXPECT_FALSE(action_request_from_json(Json("text")));
}

TEST(ActionResult, makes_the_round_trip) {
  const ActionResult result{.id = "a1",
                            .status = "failed",
                            .message = "fio is missing",
                            .result = Json(Json::Object{{"n", 1}}),
                            .started_at_ns = 1'700'000'000 * ns_per_s,
                            .finished_at_ns = 1'700'000'001 * ns_per_s};
  const auto read = action_result_from_json(to_json(result));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->id, "a1");
  EXPECT_EQ(read->status, "failed");
  EXPECT_EQ(read->message, "fio is missing");
  EXPECT_EQ(read->result, result.result);
  EXPECT_EQ(read->started_at_ns, result.started_at_ns);
  EXPECT_EQ(read->finished_at_ns, result.finished_at_ns);
}

TEST(ActionResult, an_unknown_status_is_refused) {
  Json json = to_json(ActionResult{.id = "a1", .status = "done"});
  EXPECT_TRUE(action_result_from_json(json));
  json.set("status", "perhaps");
  EXPECT_FALSE(action_result_from_json(json));
}

}  // namespace
}  // namespace auscult::actions
