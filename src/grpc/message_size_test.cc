// What messages may weigh: as they come, unpacked, and before they are whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/file.h"
#include "grpc/front.h"
#include "grpc/testing_client.h"
#include "wire/compression.h"

namespace auscult::grpc {
namespace {

using rpc::StatusCode;

constexpr size_t mib = size_t{1} << 20U;

void echo(Call call, const Reply& reply) { reply({.body = std::move(call.body)}); }

std::unique_ptr<Front> serve(const Options& options = {}) {
  auto front = Front::start(options, echo);
  EXPECT_TRUE(front) << front.error().message;
  return front ? std::move(*front) : nullptr;
}

void pack(rpc::ClientContext& context) { context.set_compression_algorithm(GRPC_COMPRESS_GZIP); }

// `n` times the same MiB of zeros, which the client holds once.
rpc::ByteBuffer zeros(size_t n) {
  const std::vector<rpc::Slice> slices(n, rpc::Slice(std::string(mib, '\0')));
  return {slices.data(), slices.size()};
}

// The most memory that this process has had since the last reset.
class Peak {
 public:
  Peak() { std::ofstream("/proc/self/clear_refs") << 5; }  // proc(5): resets VmHWM
  size_t grown_bytes() const { return std::max(now("VmHWM:"), start_) - start_; }

 private:
  static size_t now(std::string_view field) {
    const auto status = read_file("/proc/self/status");
    return std::stoul(status->substr(status->find(field) + field.size())) * 1024;
  }
  size_t start_ = now("VmRSS:");
};

TEST(MessageSize, a_message_that_grpc_packed_arrives_unpacked) {
  const auto front = serve();
  const std::string body(100'000, 'a');
  const auto sent = Client(front->port()).start(metrics_method, buffer_of(body), pack);
  EXPECT_TRUE(sent->wait().ok());
  EXPECT_TRUE(sent->body() == body);
}

TEST(MessageSize, zstd_arrives_unpacked) {
  const auto front = serve();
  const std::string body(100'000, 'a');
  const auto sent = Client(front->port()).start(*wire::compress("zstd", body));
  EXPECT_TRUE(sent->wait().ok());
  EXPECT_TRUE(sent->body() == body);
}

TEST(MessageSize, a_broken_gzip_message_is_invalid) {
  const auto front = serve();
  const auto status = Client(front->port()).start("\x1f\x8b\x08nonsense")->wait();
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
}

TEST(MessageSize, deflate_is_not_taken) {
  const auto front = serve();
  const auto sent =
      Client(front->port())
          .start(metrics_method, buffer_of(std::string(1000, 'a')),
                 [](auto& context) { context.set_compression_algorithm(GRPC_COMPRESS_DEFLATE); });
  EXPECT_EQ(sent->wait().error_code(), StatusCode::UNIMPLEMENTED);
}

TEST(MessageSize, the_limit_is_reached_but_not_passed) {
  const auto front = serve({.max_message_bytes = 1000});
  Client client(front->port());
  EXPECT_TRUE(client.start(std::string(1000, 'a'))->wait().ok());
  EXPECT_EQ(client.start(std::string(1001, 'a'))->wait().error_code(),
            StatusCode::RESOURCE_EXHAUSTED);
  const auto packed = [&](size_t bytes) {
    return client.start(metrics_method, buffer_of(std::string(bytes, 'a')), pack)->wait();
  };
  EXPECT_TRUE(packed(1000).ok());
  EXPECT_EQ(packed(1001).error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_NE(packed(1001).error_message().find("unpacks to more than 1000 bytes"),
            std::string::npos);
}

TEST(MessageSize, a_bomb_costs_no_more_than_the_limit) {
  const auto front = serve();
  const Peak peak;

  const auto status = Client(front->port()).start(metrics_method, zeros(512), pack)->wait();

  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_LT(peak.grown_bytes(), 200 * mib);
}

TEST(MessageSize, a_message_of_gigabytes_is_refused_before_it_is_whole) {
  const auto front = serve({.max_message_bytes = mib, .max_buffer_bytes = 64 * mib});
  const Peak peak;

  const auto status = Client(front->port()).start(metrics_method, zeros(2048))->wait();

  EXPECT_EQ(status.error_code(), StatusCode::RESOURCE_EXHAUSTED) << status.error_message();
  EXPECT_LT(peak.grown_bytes(), 300 * mib);
}

}  // namespace
}  // namespace auscult::grpc
