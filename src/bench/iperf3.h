// iperf3: what its client prints, and a server of our own on loopback.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"
#include "base/result.h"

namespace auscult::bench {

struct Iperf3Outcome {
  double bits_per_second = 0;     // as received
  std::vector<double> intervals;  // bits/s of each whole interval
  std::vector<double> rtt_us;     // the kernel's smoothed estimate, by interval and stream
  double retransmits = 0;
};

// What `iperf3 --client --json` printed. unavailable with iperf3's own words when it failed (it
// exits with 0 even then); corrupt when that cannot be read.
Result<Iperf3Outcome> parse_iperf3(std::string_view output);

// A one-client server on a free port of loopback; it ends with this object.
class Iperf3Server {
 public:
  static Result<Iperf3Server> start();
  uint16_t port() const { return port_; }

 private:
  Iperf3Server(Child child, uint16_t port) : child_(std::move(child)), port_(port) {}
  Child child_;
  uint16_t port_;
};

}  // namespace auscult::bench
