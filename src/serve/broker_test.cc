#include "serve/broker.h"

#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <thread>

#include "actions/signing.h"
#include "net/server.h"

namespace auscult::serve {
namespace {

using actions::ActionRequest;
using actions::ActionResult;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;
using Requests = std::vector<Json>;

constexpr std::chrono::milliseconds patience = 30s;

ActionRequest request(const std::string& id, std::chrono::nanoseconds valid = 30s) {
  const int64_t now_ns = system_clock().now_ns();
  return {.id = id,
          .action_class = "snapshot",
          .action = "process_snapshot",
          .target = "node1",
          .issued_at_ns = now_ns,
          .expires_at_ns = now_ns + valid.count()};
}

ActionResult result(const std::string& id) { return {.id = id, .status = "done"}; }

class BrokerTest : public testing::Test {
 protected:
  std::future<Requests> poll(const std::string& node = "node1",
                             std::chrono::milliseconds wait = patience) {
    auto promise = std::make_shared<std::promise<Requests>>();
    EXPECT_TRUE(broker_.poll(
        node, wait, [promise](Requests requests) { promise->set_value(std::move(requests)); }));
    return promise->get_future();
  }

  std::future<Result<ActionResult>> perform(const ActionRequest& what) {
    return std::async(std::launch::async, [this, what] { return broker_.perform(what); });
  }

  // Polls until a request is there: perform() runs on a thread of its own.
  Requests fetch() {
    auto waiting = poll();
    EXPECT_EQ(waiting.wait_for(10s), std::future_status::ready);
    return waiting.get();
  }

  Broker broker_{actions::SigningKey::generate(), system_clock()};
};

TEST_F(BrokerTest, an_agent_that_waits_gets_the_request_at_once) {
  auto waiting = poll();

  auto performed = perform(request("a1"));

  ASSERT_EQ(waiting.wait_for(10s), std::future_status::ready);
  const auto requests = waiting.get();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0]["id"], Json("a1"));
  ASSERT_TRUE(broker_.finish(result("a1")));
  const auto outcome = performed.get();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->status, "done");
}

TEST_F(BrokerTest, a_request_waits_for_an_agent_that_comes_later) {
  auto performed = perform(request("a1"));

  const auto requests = fetch();

  ASSERT_EQ(requests.size(), 1U);
  ASSERT_TRUE(broker_.finish(result("a1")));
  EXPECT_TRUE(performed.get());
}

TEST_F(BrokerTest, requests_are_signed_with_the_key_it_shows) {
  auto waiting = poll();
  auto performed = perform(request("a1"));
  const auto requests = waiting.get();

  EXPECT_TRUE(actions::verify(requests[0], broker_.public_key_base64()));

  broker_.stop();
  EXPECT_FALSE(performed.get());
}

TEST_F(BrokerTest, a_request_goes_to_its_node_only) {
  auto other = poll("node2");
  auto mine = poll("node1");

  auto performed = perform(request("a1"));

  EXPECT_EQ(mine.get().size(), 1U);
  EXPECT_EQ(other.wait_for(0s), std::future_status::timeout);
  broker_.stop();
  EXPECT_TRUE(other.get().empty());
}

TEST_F(BrokerTest, without_a_result_in_time_it_says_which_node_did_not_answer) {
  const auto outcome = broker_.perform(request("a1", 30ms));

  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::unavailable);
  EXPECT_NE(outcome.error().message.find("node1"), std::string::npos);
}

TEST_F(BrokerTest, an_expired_request_is_not_handed_out) {
  EXPECT_FALSE(broker_.perform(request("a1", 30ms)));

  EXPECT_EQ(poll().wait_for(0s), std::future_status::timeout);
}

TEST_F(BrokerTest, a_late_result_is_not_found_and_so_is_one_nobody_asked_for) {
  EXPECT_FALSE(broker_.perform(request("a1", 30ms)));

  for (const char* id : {"a1", "never"}) {
    const auto finished = broker_.finish(result(id));
    ASSERT_FALSE(finished);
    EXPECT_EQ(finished.error().code, ErrorCode::not_found);
  }
}

TEST(Broker, a_poll_ends_empty_when_its_patience_is_over) {
  ManualClock clock;
  Broker broker(actions::SigningKey::generate(), clock);
  int answered = 0;
  ASSERT_TRUE(broker.poll("node1", 30s, [&](const Requests& requests) {
    EXPECT_TRUE(requests.empty());
    ++answered;
  }));

  clock.advance(29s);
  broker.expire();
  EXPECT_EQ(answered, 0);
  clock.advance(1s);
  broker.expire();
  broker.expire();
  EXPECT_EQ(answered, 1);
}

// HTTP takes 12,000 connections: a limit beyond them would never be reached.
TEST(Broker, ten_thousand_agents_wait_and_one_more_is_refused) {
  ASSERT_LT(Broker::max_waiting_agents, net::ServerOptions{}.max_connections);
  const ManualClock clock;
  Broker broker(actions::SigningKey::generate(), clock);
  for (size_t i = 0; i < Broker::max_waiting_agents; ++i) {
    ASSERT_TRUE(broker.poll("node" + std::to_string(i), 30s, [](const Requests&) {})) << i;
  }
  const auto refused = broker.poll("one more", 30s, [](const Requests&) {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
  EXPECT_NE(refused.error().message.find("10000"), std::string::npos) << refused.error().message;
}

// An agent that was killed leaves its poll behind: a request given to that one would be lost.
TEST_F(BrokerTest, a_new_poll_of_a_node_ends_the_one_before) {
  auto dead = poll();
  auto alive = poll();
  ASSERT_EQ(dead.wait_for(0s), std::future_status::ready);
  EXPECT_TRUE(dead.get().empty());

  auto performed = perform(request("a1"));

  ASSERT_EQ(alive.wait_for(10s), std::future_status::ready);
  EXPECT_EQ(alive.get().size(), 1U);
  broker_.stop();
}

TEST_F(BrokerTest, stopping_ends_every_wait_and_refuses_what_comes_later) {
  auto waiting = poll("node2");
  auto performed = perform(request("a1"));

  broker_.stop();

  EXPECT_TRUE(waiting.get().empty());
  const auto outcome = performed.get();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "the server is stopping");
  EXPECT_FALSE(broker_.perform(request("a2")));
  EXPECT_FALSE(broker_.poll("node1", patience, [](const Requests&) { FAIL(); }));
}

TEST_F(BrokerTest, a_node_that_fetches_nothing_has_at_most_32_requests_waiting) {
  constexpr ptrdiff_t beyond = 3;
  std::latch refused(beyond);  // only a refusal returns while nothing is fetched
  std::vector<std::future<std::string>> outcomes;
  for (size_t i = 0; i < Broker::max_queued_per_node + beyond; ++i) {
    outcomes.push_back(std::async(std::launch::async, [&, i] {
      const auto outcome = broker_.perform(request("a" + std::to_string(i)));
      const auto message = outcome ? "" : outcome.error().message;
      if (message == "node node1 has 32 actions waiting") refused.count_down();
      return message;
    }));
  }
  refused.wait();

  EXPECT_EQ(fetch().size(), Broker::max_queued_per_node);
  broker_.stop();
}

}  // namespace
}  // namespace auscult::serve
