#include <gtest/gtest.h>

#include <future>

#include "base/file.h"
#include "base/text.h"
#include "serve/ingest.h"
#include "serve/testing.h"

namespace auscult::serve {
namespace {

// One block of snappy around a WriteRequest, written out by hand. A literal of up to 60 bytes.
std::string snappy_literal(const std::string& text) {
  return std::string(1, static_cast<char>(text.size())) +
         static_cast<char>((text.size() - 1) << 2U) + text;
}

std::string field(unsigned number, const std::string& content) {
  return std::string(1, static_cast<char>(number << 3U | 2U)) + static_cast<char>(content.size()) +
         content;
}

// `m` (or the given name) with the value 1 at 1,000 ms.
std::string request_with(const std::string& name) {
  const std::string label = field(1, field(1, "__name__") + field(2, name));
  const std::string sample = std::string("\x09\0\0\0\0\0\0\xf0\x3f\x10\xe8\x07", 12);
  return snappy_literal(field(1, label + field(2, sample)));
}

class RemoteWriteTest : public testing::Test {
 protected:
  RemoteWriteTest() { api_.context.ingest = &ingest_; }

  net::Response post(std::string body, net::Headers headers = {}) {
    auto request = request_of("POST", "/api/v1/write", std::move(body));
    request.headers = std::move(headers);
    const auto match = api_.router.match("POST", "/api/v1/write");
    std::promise<net::Response> promise;
    match.endpoint->later(request, match.path, api_.context,
                          [&](net::Response response) { promise.set_value(std::move(response)); });
    return promise.get_future().get();
  }

  size_t n_stored() {
    const auto series = api_.store.read_series(
        {.metric = "m", .node_id = {}, .labels = {}, .range = {0, 10 * ns_per_s}});
    return !series || series->empty() ? 0 : series->front().points.size();
  }

  Api api_;
  Ingest ingest_{api_.store, api_.clock};
};

TEST_F(RemoteWriteTest, a_request_is_stored_and_answered_204) {
  const auto response = post(request_with("m"), {{"Content-Encoding", "snappy"}});
  EXPECT_EQ(response.status, 204) << response.body;
  EXPECT_EQ(n_stored(), 1U);
}

TEST_F(RemoteWriteTest, what_is_no_request_is_refused_for_good) {
  const auto response = post("hello");
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(ingest_.stats().malformed, 1U);
}

TEST_F(RemoteWriteTest, samples_that_cannot_be_stored_are_told) {
  const auto response = post(request_with(""));
  EXPECT_EQ(response.status, 400);
  EXPECT_TRUE(response.body.starts_with("1 samples were not stored: ")) << response.body;
  EXPECT_EQ(ingest_.stats().rejected_items, 1U);
}

TEST_F(RemoteWriteTest, another_version_or_compression_is_named) {
  EXPECT_EQ(post("x", {{"Content-Encoding", "gzip"}}).status, 415);
  const auto second =
      post("x", {{"Content-Type", "application/x-protobuf;proto=io.prometheus.write.v2.Request"}});
  EXPECT_EQ(second.status, 415);
  EXPECT_EQ(second.body, "remote write 2.0 is not supported: send 1.0\n");
}

TEST_F(RemoteWriteTest, a_store_that_is_stuck_asks_for_a_retry) {
  api_.store.fail_writes(Error{ErrorCode::unavailable, "disk full"});
  const auto response = post(request_with("m"));
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(net::header(response.headers, "Retry-After"), "1");
  EXPECT_EQ(response.body, "disk full\n");
}

}  // namespace
}  // namespace auscult::serve
