#include "serve/otlp_grpc.h"

#include <gtest/gtest.h>

#include <future>

#include "store/memory_store.h"

namespace auscult::serve {
namespace {

class OtlpGrpcTest : public testing::Test {
 protected:
  grpc::Answer send(wire::Signal signal, std::string body) {
    std::promise<grpc::Answer> promise;
    handle_grpc(
        {.signal = signal, .body = std::move(body), .peer = {}, .authorization = {}},
        [&](grpc::Answer answer) { promise.set_value(std::move(answer)); }, ingest_);
    return promise.get_future().get();
  }

  store::MemoryStore store_;
  Ingest ingest_{store_, system_clock()};
};

TEST_F(OtlpGrpcTest, an_export_is_stored_and_answered_with_a_response) {
  const model::LogRecords records = {{.timestamp_ns = 5, .observed_ns = 5, .body = "hello"}};
  const auto answer = send(wire::Signal::logs, wire::encode_logs(records));
  EXPECT_EQ(answer.grpc_status, 0) << answer.message;
  EXPECT_TRUE(wire::decode_success(answer.body));
  const auto stored = store_.read_logs({.node_id = {}, .source = {}, .range = {0, 10}});
  ASSERT_TRUE(stored);
  ASSERT_EQ(stored->size(), 1U);
  EXPECT_EQ(stored->front().body, "hello");
}

TEST_F(OtlpGrpcTest, a_malformed_request_is_an_invalid_argument) {
  const auto answer = send(wire::Signal::metrics, "\x0a\xff");
  EXPECT_EQ(answer.grpc_status, 3);
  EXPECT_FALSE(answer.message.empty());
  EXPECT_FALSE(answer.retry_after);
}

TEST_F(OtlpGrpcTest, a_store_that_is_stuck_asks_for_a_retry) {
  store_.fail_writes(Error{ErrorCode::unavailable, "disk full"});
  const model::LogRecords records = {{.timestamp_ns = 5, .observed_ns = 5, .body = "hello"}};
  const auto answer = send(wire::Signal::logs, wire::encode_logs(records));
  EXPECT_EQ(answer.grpc_status, 14);
  EXPECT_EQ(answer.message, "disk full");
  EXPECT_EQ(answer.retry_after, std::chrono::seconds(1));
}

// 7 is PERMISSION_DENIED, 16 UNAUTHENTICATED (google/rpc/code.proto).
TEST(GrpcDenial, who_may_not_deliver_is_told_by_the_status_of_grpc) {
  const auto reader = make_token("reader", Role::read);
  const auto agent = make_token("agent", Role::ingest);
  const Access access(*read_tokens(*parse_yaml(reader->line + "\n" + agent->line, "tokens")));
  const auto status = [&](const std::string& authorization) {
    const auto denial = grpc_denial({.authorization = authorization}, access);
    return denial ? denial->grpc_status : 0;
  };

  EXPECT_EQ(status(""), 16);
  EXPECT_EQ(status("Bearer x"), 16);
  EXPECT_EQ(status("Bearer " + reader->text), 7);
  EXPECT_EQ(status("Bearer " + agent->text), 0);
  EXPECT_FALSE(grpc_denial({}, Access()));
}

}  // namespace
}  // namespace auscult::serve
