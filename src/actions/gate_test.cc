#include <gtest/gtest.h>

#include "actions/action.h"

namespace auscult::actions {
namespace {

constexpr int64_t now_ns = 1'796'117'400 * ns_per_s;

class Gate : public testing::Test {
 protected:
  ActionRequest request() {
    return {.id = "a" + std::to_string(++ids_),
            .action_class = "snapshot",
            .action = "process_snapshot",
            .target = "n1",
            .params = Json(Json::Object{{"seconds", 1}}),
            .limits = {.seconds = 10, .bytes = 0},
            .issued_at_ns = now_ns,
            .expires_at_ns = now_ns + 60 * ns_per_s};
  }
  ActionPolicy policy() const { return {.enabled = true, .allow = {"snapshot"}}; }

  // Why the request is refused; empty when it is not.
  std::string refusal(const ActionRequest& request) { return refusal(request, policy()); }
  std::string refusal(const ActionRequest& request, const ActionPolicy& policy) {
    const auto admitted = gate_.admit(key_.sign(request), policy, now_ns);
    return admitted ? std::string() : admitted.error().message;
  }
  static bool says(const std::string& message, std::string_view words) {
    return message.find(words) != std::string::npos;
  }

  SigningKey key_ = SigningKey::generate();
  ActionGate gate_{key_.public_key_base64(), "n1", now_ns - 7200 * ns_per_s};
  int ids_ = 0;
};

TEST_F(Gate, admits_a_good_request_as_it_was_sent) {
  const auto sent = request();
  const auto admitted = gate_.admit(key_.sign(sent), policy(), now_ns);
  ASSERT_TRUE(admitted) << admitted.error().message;
  EXPECT_EQ(to_json(*admitted), to_json(sent));
}

TEST_F(Gate, refuses_the_signature_of_another_key) {
  const auto forged = SigningKey::generate().sign(request());
  const auto admitted = gate_.admit(forged, policy(), now_ns);
  ASSERT_FALSE(admitted);
  EXPECT_EQ(admitted.error().code, ErrorCode::invalid_input);
  EXPECT_TRUE(says(admitted.error().message, "signature")) << admitted.error().message;
}

TEST_F(Gate, refuses_a_parameter_that_was_changed_after_signing) {
  Json changed = key_.sign(request());
  changed.set("params", Json(Json::Object{{"seconds", 29}}));
  const auto admitted = gate_.admit(changed, policy(), now_ns);
  ASSERT_FALSE(admitted);
  EXPECT_TRUE(says(admitted.error().message, "changed after signing"));
}

TEST_F(Gate, refuses_what_is_for_another_node) {
  auto other = request();
  other.target = "n2";
  EXPECT_TRUE(says(refusal(other), "for node 'n2'"));
}

TEST_F(Gate, after_a_restart_a_request_from_before_it_is_refused) {
  const auto captured = key_.sign(request());
  ASSERT_TRUE(gate_.admit(captured, policy(), now_ns));
  ActionGate restarted(key_.public_key_base64(), "n1", now_ns + ns_per_s);

  const auto replayed = restarted.admit(captured, policy(), now_ns + 2 * ns_per_s);

  ASSERT_FALSE(replayed);
  EXPECT_TRUE(says(replayed.error().message, "before this agent started"))
      << replayed.error().message;
}

TEST_F(Gate, a_request_of_the_millisecond_of_the_start_is_no_old_one) {
  ActionGate restarted(key_.public_key_base64(), "n1", now_ns + 999'999);
  const auto admitted = restarted.admit(key_.sign(request()), policy(), now_ns + ns_per_s);
  EXPECT_TRUE(admitted) << admitted.error().message;
}

TEST_F(Gate, refuses_what_has_expired) {
  auto old = request();
  old.issued_at_ns = now_ns - 120 * ns_per_s;
  old.expires_at_ns = now_ns;
  EXPECT_TRUE(says(refusal(old), "expired"));
}

TEST_F(Gate, clocks_may_differ_by_five_minutes_and_no_more) {
  auto early = request();
  early.issued_at_ns = now_ns + 300 * ns_per_s;
  early.expires_at_ns = now_ns + 360 * ns_per_s;
  EXPECT_EQ(refusal(early), "");
  auto future = request();
  future.issued_at_ns = now_ns + 301 * ns_per_s;
  future.expires_at_ns = now_ns + 361 * ns_per_s;
  EXPECT_TRUE(says(refusal(future), "in the future"));
}

TEST_F(Gate, refuses_what_is_valid_for_more_than_an_hour) {
  auto eternal = request();
  eternal.expires_at_ns = now_ns + 3601 * ns_per_s;
  EXPECT_TRUE(says(refusal(eternal), "more than an hour"));
}

TEST_F(Gate, refuses_a_replay) {
  const auto sent = request();
  EXPECT_EQ(refusal(sent), "");
  EXPECT_TRUE(says(refusal(sent), "a replay"));
}

TEST_F(Gate, a_request_that_was_refused_by_the_policy_cannot_come_back_later) {
  const auto sent = request();
  ActionPolicy off = policy();
  off.enabled = false;
  EXPECT_TRUE(says(refusal(sent, off), "switched off"));
  EXPECT_TRUE(says(refusal(sent), "a replay"));
}

TEST_F(Gate, a_clock_that_steps_back_does_not_revive_a_request) {
  const auto sent = request();
  EXPECT_EQ(refusal(sent), "");
  // Half an hour later another request makes the gate forget what is old enough.
  auto later = request();
  later.issued_at_ns += 1800 * ns_per_s;
  later.expires_at_ns += 1800 * ns_per_s;
  ASSERT_TRUE(gate_.admit(key_.sign(later), policy(), now_ns + 1800 * ns_per_s));
  EXPECT_TRUE(says(refusal(sent), "a replay"));
}

TEST_F(Gate, the_kill_switch_stops_everything) {
  ActionPolicy off = policy();
  off.enabled = false;
  EXPECT_TRUE(says(refusal(request(), off), "switched off"));
}

TEST_F(Gate, refuses_a_class_that_the_node_does_not_allow) {
  auto benchmark = request();
  benchmark.action_class = "benchmark";
  benchmark.action = "targeted_benchmark";
  EXPECT_TRUE(says(refusal(benchmark), "does not allow the class 'benchmark'"));
}

TEST_F(Gate, an_allowed_class_does_not_open_the_door_for_an_action_of_another) {
  auto disguised = request();
  disguised.action = "targeted_benchmark";
  disguised.params = Json(Json::Object{});
  EXPECT_TRUE(says(refusal(disguised), "is of the class 'benchmark'"));
}

TEST_F(Gate, refuses_an_unknown_action_with_the_nearest_known) {
  auto unknown = request();
  unknown.action = "proces_snapshot";
  EXPECT_TRUE(says(refusal(unknown), "did you mean 'process_snapshot'?"));
}

TEST_F(Gate, refuses_an_unknown_parameter_with_the_nearest_known) {
  auto unknown = request();
  unknown.params.set("secnods", 1);
  EXPECT_TRUE(says(refusal(unknown), "did you mean 'seconds'?"));
}

TEST_F(Gate, refuses_limits_above_the_policy) {
  auto long_one = request();
  long_one.limits.seconds = 121;
  EXPECT_TRUE(says(refusal(long_one), "max_seconds"));
  auto large = request();
  large.limits.bytes = (int64_t{2} << 30U) + 1;
  EXPECT_TRUE(says(refusal(large), "max_bytes"));
}

TEST_F(Gate, a_request_that_is_signed_but_malformed_is_refused) {
  auto empty = request();
  empty.action = "";
  EXPECT_TRUE(says(refusal(empty), "'action' must be"));
}

TEST_F(Gate, its_memory_is_bounded_and_full_means_refused) {
  for (int i = 0; i < 10'000; ++i) ASSERT_EQ(refusal(request()), "") << i;
  EXPECT_TRUE(says(refusal(request()), "full"));

  // Two hours later all of them are forgotten.
  auto later = request();
  later.issued_at_ns += 7200 * ns_per_s;
  later.expires_at_ns += 7200 * ns_per_s;
  EXPECT_TRUE(gate_.admit(key_.sign(later), policy(), now_ns + 7200 * ns_per_s));
}

}  // namespace
}  // namespace auscult::actions
