#include "serve/prometheus_duration.h"

#include <gtest/gtest.h>

#include <string>

namespace auscult::serve {
namespace {

// The cases of TestParseDuration in github.com/prometheus/common, model/time_test.go.
TEST(PrometheusDuration, is_read_as_prometheus_reads_it) {
  struct Case {
    const char* text;
    int64_t ms;
  };
  for (const auto& [text, ms] :
       {Case{"0", 0}, Case{"0w", 0}, Case{"0s", 0}, Case{"324ms", 324}, Case{"3s", 3'000},
        Case{"5m", 300'000}, Case{"1h", 3'600'000}, Case{"4d", 345'600'000},
        Case{"4d1h", 349'200'000}, Case{"14d", 1'209'600'000}, Case{"3w", 1'814'400'000},
        Case{"3w2d1h", 1'990'800'000}, Case{"10y", 315'360'000'000}}) {
    const auto duration = parse_prometheus_duration(text);
    ASSERT_TRUE(duration) << text;
    EXPECT_EQ(duration->count(), ms) << text;
  }
}

TEST(PrometheusDuration, that_prometheus_refuses_is_refused) {
  for (const char* text : {"", "1", "1y1m1d", "-1w", "1.5d", "d", "294y", "200y10400w", "107675d",
                           "2584200h", "99999999999999999999s", "1 h", "1h "}) {
    const auto duration = parse_prometheus_duration(text);
    ASSERT_FALSE(duration) << text;
    EXPECT_EQ(duration.error().code, ErrorCode::invalid_input);
  }
}

}  // namespace
}  // namespace auscult::serve
