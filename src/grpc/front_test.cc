#include "grpc/front.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "grpc/error_details.h"
#include "grpc/testing_client.h"
#include "wire/compression.h"

namespace auscult::grpc {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using rpc::StatusCode;

std::unique_ptr<Front> serve(const Handler& handler, const Options& options = {}) {
  auto front = Front::start(options, handler);
  EXPECT_TRUE(front) << front.error().message;
  return front ? std::move(*front) : nullptr;
}

// Answers with the body that came.
void echo(Call call, const Reply& reply) { reply({.body = std::move(call.body)}); }

// Keeps the replies of its calls for the test.
class Held {
 public:
  Handler handler() {
    return [this](const Call&, Reply reply) {
      const std::lock_guard lock(mutex_);
      replies_.push_back(std::move(reply));
      came_.notify_all();
    };
  }
  // The reply of call number `index`, once it has come.
  Reply take(size_t index) {
    std::unique_lock lock(mutex_);
    came_.wait_for(lock, 10s, [&] { return replies_.size() > index; });
    return std::move(replies_.at(index));
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<Reply> replies_;
};

// Once no call is in flight, or false after 10 s.
bool settles(const Front& front) {
  for (int i = 0; i < 10'000 && front.stats().in_flight > 0; ++i) ::poll(nullptr, 0, 1);
  return front.stats().in_flight == 0;
}

bool has(const std::string& text, std::string_view piece) {
  return text.find(piece) != std::string::npos;
}

TEST(Front, every_signal_reaches_the_handler_with_its_bytes) {
  std::promise<Call> seen;
  const auto front = serve([&](Call call, const Reply& reply) {
    seen.set_value(std::move(call));
    reply({});
  });
  Client client(front->port());
  std::string bytes(300'000, '\0');  // more than one frame of HTTP/2
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7);
  const std::pair<std::string, wire::Signal> methods[] = {
      {"metrics.v1.MetricsService", wire::Signal::metrics},
      {"logs.v1.LogsService", wire::Signal::logs},
      {"trace.v1.TraceService", wire::Signal::traces}};

  for (const auto& [service, signal] : methods) {
    seen = {};
    const auto sent =
        client.start("/opentelemetry.proto.collector." + service + "/Export", buffer_of(bytes),
                     [](auto& context) { context.AddMetadata("authorization", "Bearer abc"); });
    EXPECT_TRUE(sent->wait().ok());
    const Call call = seen.get_future().get();
    EXPECT_EQ(call.signal, signal);
    EXPECT_TRUE(call.body == bytes) << call.body.size();
    EXPECT_EQ(call.authorization, "Bearer abc");
    EXPECT_TRUE(call.peer.starts_with("127.0.0.1:")) << call.peer;
  }
}

TEST(Front, an_empty_message_is_a_message) {
  const auto front =
      serve([](const Call& call, const Reply& reply) { reply({.body = call.body + "!"}); });
  const auto sent = Client(front->port()).start("");
  EXPECT_TRUE(sent->wait().ok());
  EXPECT_EQ(sent->body(), "!");
}

TEST(Front, an_answer_from_another_thread_is_sent_once) {
  std::jthread worker;
  const auto front = serve([&](const Call&, Reply reply) {
    worker = std::jthread([reply = std::move(reply)] {
      reply({.body = "first"});
      reply({.grpc_status = StatusCode::INTERNAL, .message = "second"});
    });
  });
  const auto sent = Client(front->port()).start("x");
  EXPECT_TRUE(sent->wait().ok());
  EXPECT_EQ(sent->body(), "first");
}

TEST(Front, a_status_comes_back_with_its_retry_info) {
  const auto front = serve([](const Call&, const Reply& reply) {
    reply({.grpc_status = StatusCode::RESOURCE_EXHAUSTED, .message = "full", .retry_after = 3s});
  });
  const auto status = Client(front->port()).start("x")->wait();
  EXPECT_EQ(status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(status.error_message(), "full");
  EXPECT_EQ(status.error_details(), retry_details(8, "full", 3s));
}

TEST(Front, a_status_without_a_retry_carries_no_details) {
  const auto front = serve([](const Call&, const Reply& reply) {
    reply({.grpc_status = StatusCode::INVALID_ARGUMENT, .message = "bad"});
  });
  const auto status = Client(front->port()).start("x")->wait();
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_details(), "");
}

TEST(Front, a_long_message_that_is_no_utf8_arrives_cut_and_valid) {
  const auto front = serve([](const Call&, const Reply& reply) {
    reply({.grpc_status = StatusCode::UNAVAILABLE,
           .message = std::string(100'000, '\xff'),
           .retry_after = 1s});
  });
  const auto status = Client(front->port()).start("x")->wait();
  EXPECT_EQ(status.error_code(), StatusCode::UNAVAILABLE) << status.error_message();
  EXPECT_TRUE(status.error_message().starts_with("\ufffd\ufffd"));
  EXPECT_EQ(status.error_message().size(), 3 * 512U);
}

TEST(Front, a_reply_that_is_dropped_is_internal) {
  const auto front = serve([](const Call&, const Reply&) {});
  EXPECT_EQ(Client(front->port()).start("x")->wait().error_code(), StatusCode::INTERNAL);
  EXPECT_EQ(front->stats().refused, 1U);
}

TEST(Front, a_handler_that_throws_costs_its_own_call_only) {
  const auto front = serve([](const Call& call, const Reply& reply) {
    if (call.body == "bad") throw std::runtime_error("handler");
    reply({});
  });
  Client client(front->port());
  EXPECT_EQ(client.start("bad")->wait().error_code(), StatusCode::INTERNAL);
  EXPECT_TRUE(client.start("good")->wait().ok());
}

TEST(Front, another_method_is_told_what_is_served) {
  const auto front = serve(echo);
  Client client(front->port());
  for (const std::string method :
       {"/grpc.health.v1.Health/Check",
        "/opentelemetry.proto.collector.metrics.v1.MetricsService/X",
        "/opentelemetry.proto.collector.profiles.v1.ProfilesService/Export"}) {
    const auto status = client.start(method, buffer_of("x"))->wait();
    EXPECT_EQ(status.error_code(), StatusCode::UNIMPLEMENTED) << method;
    EXPECT_TRUE(has(status.error_message(), "metrics.v1.MetricsService")) << status.error_message();
  }
}

TEST(Front, a_call_without_a_message_or_with_two_is_refused) {
  const auto front = serve(echo);
  Client client(front->port());
  const auto none = client.send_messages(0, true);
  EXPECT_EQ(none.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(has(none.error_message(), "none came")) << none.error_message();
  const auto two = client.send_messages(2, true);
  EXPECT_EQ(two.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(has(two.error_message(), "more than one came")) << two.error_message();
  EXPECT_TRUE(settles(*front));
}

TEST(Front, a_message_that_does_not_end_in_time_is_refused) {
  const auto front = serve(echo, {.read_timeout = 20ms});
  Client client(front->port());
  EXPECT_EQ(client.send_messages(0, false).error_code(), StatusCode::DEADLINE_EXCEEDED);
  const auto unfinished = client.send_messages(1, false);
  EXPECT_EQ(unfinished.error_code(), StatusCode::DEADLINE_EXCEEDED);
  EXPECT_TRUE(has(unfinished.error_message(), "within 20 ms")) << unfinished.error_message();
  EXPECT_TRUE(settles(*front));
}

TEST(Front, a_handler_may_take_longer_than_the_message) {
  Held held;
  const auto front = serve(held.handler(), {.read_timeout = 300ms});
  Client client(front->port());
  const auto first = client.start("x");
  const Reply reply = held.take(0);

  // It began later, so when its time is over that of the first is, too.
  EXPECT_EQ(client.send_messages(0, false).error_code(), StatusCode::DEADLINE_EXCEEDED);
  reply({.body = "late"});

  EXPECT_TRUE(first->wait().ok());
  EXPECT_EQ(first->body(), "late");
}

TEST(Front, many_calls_at_once_each_get_their_own_answer) {
  constexpr size_t n = 200;
  Held held;
  const auto front = serve(held.handler());
  Client client(front->port());
  std::vector<std::unique_ptr<Sent>> calls;
  for (size_t i = 0; i < n; ++i) calls.push_back(client.start(std::to_string(i)));

  std::vector<Reply> replies;
  for (size_t i = 0; i < n; ++i) replies.push_back(held.take(i));
  EXPECT_EQ(front->stats().in_flight, n);
  {
    std::vector<std::jthread> workers;
    for (size_t w = 0; w < 4; ++w) {
      workers.emplace_back([&replies, w] {
        for (size_t i = w; i < n; i += 4) replies[i]({.body = "done"});
      });
    }
  }

  for (const auto& call : calls) {
    EXPECT_TRUE(call->wait().ok());
    EXPECT_EQ(call->body(), "done");
  }
  EXPECT_TRUE(settles(*front));
}

TEST(Front, a_call_beyond_the_limit_is_told_to_come_again) {
  Held held;
  const auto front = serve(held.handler(), {.max_calls = 1});
  Client client(front->port());
  const auto first = client.start("x");
  const Reply reply = held.take(0);

  const auto status = client.start("y")->wait();

  EXPECT_EQ(status.error_code(), StatusCode::UNAVAILABLE);
  EXPECT_EQ(status.error_details(), retry_details(14, "too many calls at once", 1s));
  reply({});
  EXPECT_TRUE(first->wait().ok());
}

TEST(Front, bytes_beyond_the_limit_are_told_to_come_again_and_given_back) {
  Held held;
  const auto front = serve(held.handler(), {.max_inflight_body_bytes = 1000});
  Client client(front->port());
  const auto first = client.start(std::string(600, 'a'));
  held.take(0)({});
  EXPECT_TRUE(first->wait().ok());
  const auto second = client.start(std::string(600, 'a'));
  const Reply reply = held.take(1);

  const auto status = client.start(std::string(600, 'b'))->wait();

  EXPECT_EQ(status.error_code(), StatusCode::UNAVAILABLE);
  EXPECT_EQ(status.error_details(), retry_details(14, "too many bytes at once", 1s));
  reply({});
  EXPECT_TRUE(second->wait().ok());
}

TEST(Front, a_call_that_the_client_cancels_ends_while_the_handler_holds_it) {
  Held held;
  const auto front = serve(held.handler());
  Client client(front->port());
  const auto sent = client.start("x");
  const Reply reply = held.take(0);

  sent->context.TryCancel();

  EXPECT_EQ(sent->wait().error_code(), StatusCode::CANCELLED);
  EXPECT_TRUE(settles(*front));
  reply({.body = "late"});
  const auto next = client.start("y");
  held.take(1)({.body = "alive"});
  EXPECT_TRUE(next->wait().ok());
}

TEST(Front, a_call_whose_deadline_passes_ends_while_the_handler_holds_it) {
  Held held;
  const auto front = serve(held.handler());
  const auto sent = Client(front->port()).start(metrics_method, buffer_of("x"), [](auto& context) {
    context.set_deadline(
        gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(50, GPR_TIMESPAN)));
  });
  EXPECT_EQ(sent->wait().error_code(), StatusCode::DEADLINE_EXCEEDED);
  EXPECT_TRUE(settles(*front));
}

TEST(Front, stopping_ends_the_calls_in_flight_and_a_late_answer_is_harmless) {
  Held held;
  auto front = serve(held.handler());
  Client client(front->port());
  std::vector<std::unique_ptr<Sent>> calls;
  calls.reserve(20);
  for (int i = 0; i < 20; ++i) calls.push_back(client.start("x"));
  std::vector<Reply> replies;
  replies.reserve(20);
  for (size_t i = 0; i < 20; ++i) replies.push_back(held.take(i));

  const auto begin = std::chrono::steady_clock::now();
  front.reset();

  EXPECT_LT(std::chrono::steady_clock::now() - begin, 8s);  // 2 s of grace on a busy machine
  for (const auto& call : calls) EXPECT_FALSE(call->wait().ok());
  for (const auto& reply : replies) reply({.body = "late"});
}

TEST(Front, a_call_that_is_answered_while_stopping_gets_its_answer) {
  std::promise<Reply> held;
  auto front = serve([&](const Call& call, const Reply& reply) {
    if (call.body == "held") return held.set_value(reply);
    reply({});
  });
  const uint16_t port = front->port();
  const auto sent = Client(port).start("held");
  const Reply reply = held.get_future().get();

  std::jthread stopping([&] { front.reset(); });
  while (Client(port).start("probe")->wait().ok()) {
  }
  reply({.body = "in time"});

  EXPECT_TRUE(sent->wait().ok());
  EXPECT_EQ(sent->body(), "in time");
}

TEST(Front, a_port_that_is_taken_is_one_line) {
  const auto first = serve(echo);
  testing::internal::CaptureStderr();
  const auto second = Front::start({.port = first->port()}, echo);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::unavailable);
  EXPECT_EQ(second.error().message,
            "listening on 127.0.0.1 port " + std::to_string(first->port()) + ": the port is taken");
}

TEST(Front, an_address_that_is_none_or_not_here_is_told) {
  const auto none = Front::start({.address = "localhost"}, echo);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::invalid_input);
  // 192.0.2.0/24 is for documentation (RFC 5737): no host has it.
  const auto elsewhere = Front::start({.address = "192.0.2.1"}, echo);
  ASSERT_FALSE(elsewhere);
  EXPECT_EQ(elsewhere.error().message,
            "listening on 192.0.2.1 port 0: Cannot assign requested address");
}

}  // namespace
}  // namespace auscult::grpc
