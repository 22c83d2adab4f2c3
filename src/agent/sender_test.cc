#include "agent/sender.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

namespace auscult::agent {
namespace {

using std::chrono::seconds;

class SenderTest : public testing::Test {
 protected:
  SenderTest() {
    std::string pattern = testing::TempDir() + "/sender-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    auto spool = Spool::open(folder_, {});
    spool_ = *std::move(spool);
    sender_ = std::make_unique<Sender>(
        *spool_,
        [this](const std::string& target, const net::Headers& headers, std::string body) {
          targets_.push_back(target);
          headers_.push_back(headers);
          bodies_.push_back(std::move(body));
          return answer_;
        },
        clock_, 1);
  }
  ~SenderTest() override {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
  }
  void spool(const std::string& body, Signal signal = Signal::metrics, bool gzip = false) {
    ASSERT_TRUE(spool_->append({.signal = signal, .gzip = gzip, .body = body}));
  }

  std::filesystem::path folder_;
  ManualClock clock_{ns_per_s};
  std::unique_ptr<Spool> spool_;
  std::unique_ptr<Sender> sender_;
  Result<net::Response> answer_ = net::Response{.status = 200};
  std::vector<std::string> targets_, bodies_;
  std::vector<net::Headers> headers_;
};

TEST_F(SenderTest, sends_in_order_and_to_the_address_of_the_signal) {
  spool("m");
  spool("l", Signal::logs, true);

  EXPECT_TRUE(sender_->step());
  EXPECT_TRUE(sender_->step());
  EXPECT_FALSE(sender_->step()) << "nothing waits";

  EXPECT_EQ(bodies_, (std::vector<std::string>{"m", "l"}));
  EXPECT_EQ(targets_, (std::vector<std::string>{"/v1/metrics", "/v1/logs"}));
  EXPECT_EQ(net::header(headers_[0], "Content-Type"), "application/x-protobuf");
  EXPECT_EQ(net::header(headers_[0], "Content-Encoding"), "");
  EXPECT_EQ(net::header(headers_[1], "Content-Encoding"), "gzip");
  EXPECT_EQ(sender_->sent(), 2U);
}

TEST_F(SenderTest, items_that_the_server_left_out_are_counted_and_logged_once) {
  spool("first");
  spool("second");
  spool("third");
  answer_ = net::Response{.status = 200, .body = "\x0a\x07\x08\xac\x02\x12\x02no"};
  testing::internal::CaptureStderr();
  EXPECT_TRUE(sender_->step());
  EXPECT_TRUE(sender_->step());
  answer_ = net::Response{.status = 200, .body = "OK"};
  EXPECT_TRUE(sender_->step()) << "another server's words are no rejection";
  const std::string log = testing::internal::GetCapturedStderr();

  EXPECT_EQ(sender_->rejected_items(), 600U);
  EXPECT_EQ(sender_->sent(), 3U);
  const auto said = log.find("left out 300 items of a batch for /v1/metrics: no");
  ASSERT_NE(said, std::string::npos) << log;
  EXPECT_EQ(log.find("left out", said + 1), std::string::npos) << log;
}

TEST_F(SenderTest, a_batch_leaves_only_after_2xx_and_is_repeated_byte_for_byte) {
  spool("same");
  for (const int status : {500, 503, 429, 408, 302}) {
    answer_ = net::Response{.status = status};
    clock_.advance(seconds(100));
    EXPECT_FALSE(sender_->step()) << status;
    EXPECT_EQ(spool_->stats().records, 1U) << status;
  }
  answer_ = net::Response{.status = 204};
  clock_.advance(seconds(100));
  EXPECT_TRUE(sender_->step());

  EXPECT_EQ(spool_->stats().records, 0U);
  EXPECT_EQ(bodies_, std::vector<std::string>(6, "same"));
  EXPECT_EQ(sender_->failures(), 5U);
}

TEST_F(SenderTest, a_wrong_token_costs_no_batch) {
  spool("kept");
  for (const int status : {401, 403}) {
    answer_ = net::Response{.status = status, .body = "this needs a token"};
    clock_.advance(seconds(100));
    EXPECT_FALSE(sender_->step()) << status;
    EXPECT_EQ(spool_->stats().records, 1U) << status;
  }
  EXPECT_EQ(sender_->refused(), 0U);
}

TEST_F(SenderTest, a_batch_that_will_never_be_taken_does_not_block_those_behind_it) {
  spool("poison");
  spool("good");
  answer_ = net::Response{.status = 400, .body = "bad\nprotobuf"};
  EXPECT_TRUE(sender_->step());
  answer_ = net::Response{.status = 200};
  EXPECT_TRUE(sender_->step());

  EXPECT_EQ(sender_->refused(), 1U);
  EXPECT_EQ(sender_->sent(), 1U);
  EXPECT_EQ(bodies_.back(), "good");
}

TEST_F(SenderTest, waits_double_up_to_a_minute_and_begin_anew_after_success) {
  spool("a");
  spool("b");
  answer_ = Error{ErrorCode::unavailable, "connection refused"};
  for (const int whole_wait_s : {1, 2, 4, 8, 16, 32, 60, 60}) {
    const std::chrono::milliseconds half_wait(whole_wait_s * 500);
    const auto tries = bodies_.size();
    sender_->step();
    ASSERT_EQ(bodies_.size(), tries + 1);
    clock_.advance(half_wait - std::chrono::milliseconds(1));
    sender_->step();
    EXPECT_EQ(bodies_.size(), tries + 1) << "sooner than half of " << whole_wait_s << " s";
    clock_.advance(half_wait + std::chrono::milliseconds(1));
  }
  answer_ = net::Response{.status = 200};
  EXPECT_TRUE(sender_->step());
  answer_ = Error{ErrorCode::unavailable, "connection refused"};
  sender_->step();
  const auto tries = bodies_.size();
  clock_.advance(seconds(1));
  sender_->step();
  EXPECT_EQ(bodies_.size(), tries + 1) << "a second again";
}

TEST_F(SenderTest, retry_after_is_honoured_and_bounded) {
  spool("a");
  answer_ = net::Response{.status = 503, .headers = {{"retry-after", "30"}}};
  sender_->step();
  clock_.advance(seconds(29));
  sender_->step();
  EXPECT_EQ(bodies_.size(), 1U);
  clock_.advance(seconds(1));
  answer_ = net::Response{.status = 429, .headers = {{"Retry-After", "999999999"}}};
  sender_->step();
  EXPECT_EQ(bodies_.size(), 2U);
  clock_.advance(max_retry_after);
  sender_->step();
  EXPECT_EQ(bodies_.size(), 3U);
}

}  // namespace
}  // namespace auscult::agent
