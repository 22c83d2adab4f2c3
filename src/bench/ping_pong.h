// Ping-pong: round trips of small messages over a TCP connection on loopback.
#pragma once

#include <vector>

#include "base/result.h"

namespace auscult::bench {

// Microseconds of each round trip of a 64-byte message, in order, for about `seconds`; at most
// 200,000 of them.
Result<std::vector<double>> loopback_round_trips(double seconds);

}  // namespace auscult::bench
