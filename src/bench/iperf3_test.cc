#include "bench/iperf3.h"

#include <gtest/gtest.h>

#include "base/file.h"

namespace auscult::bench {
namespace {

// The expected figures are read off testdata/iperf3/loopback.json by eye.
TEST(Iperf3, reads_rate_intervals_round_trips_and_retransmits) {
  const auto output = read_file("testdata/iperf3/loopback.json");
  ASSERT_TRUE(output);

  const auto outcome = parse_iperf3(*output);

  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_DOUBLE_EQ(outcome->bits_per_second, 23611971726.34671);
  ASSERT_EQ(outcome->intervals.size(), 4U);
  EXPECT_DOUBLE_EQ(outcome->intervals[0], 24535499681.627216);
  EXPECT_DOUBLE_EQ(outcome->intervals[2], 22864444904.798294);
  EXPECT_EQ(outcome->rtt_us.size(), 4U);
  EXPECT_EQ(outcome->rtt_us[0], 53);
  EXPECT_EQ(outcome->retransmits, 0);
}

TEST(Iperf3, a_rest_at_the_end_is_no_interval) {
  const auto outcome = parse_iperf3(
      R"({"intervals":[{"sum":{"seconds":0.25,"bits_per_second":8}},
                       {"sum":{"seconds":0.25,"bits_per_second":6}},
                       {"sum":{"seconds":0.01,"bits_per_second":1}}],
          "end":{"sum_sent":{"retransmits":3},"sum_received":{"bits_per_second":7}}})");
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->intervals, (std::vector<double>{8, 6}));
  EXPECT_EQ(outcome->retransmits, 3);
}

TEST(Iperf3, its_own_error_is_an_error_although_it_exits_with_0) {
  const auto outcome = parse_iperf3(
      R"({"start":{},"intervals":[],"end":{},"error":"unable to connect to server: Connection refused"})");
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::unavailable);
  EXPECT_NE(outcome.error().message.find("Connection refused"), std::string::npos);
}

TEST(Iperf3, strange_output_is_corrupt) {
  for (const auto* output : {"", "iperf3: nothing", "{", "{}"}) {
    const auto outcome = parse_iperf3(output);
    ASSERT_FALSE(outcome) << output;
    EXPECT_EQ(outcome.error().code, ErrorCode::corrupt) << output;
  }
}

TEST(Iperf3Server, two_at_once_have_different_ports) {
  if (!find_program("iperf3")) GTEST_SKIP() << "iperf3 is not installed: apt-get install iperf3";
  const auto one = Iperf3Server::start();
  const auto other = Iperf3Server::start();
  ASSERT_TRUE(one) << one.error().message;
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_GT(one->port(), 0);
  EXPECT_NE(one->port(), other->port());
}

}  // namespace
}  // namespace auscult::bench
