#include "bench/iperf3.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/file.h"
#include "base/json.h"

namespace auscult::bench {
namespace {

// The last interval can be a rest of a few milliseconds: its rate means nothing.
constexpr double least_interval_share = 0.5;

// iperf3 takes no port 0: the kernel picks one for us, which is free again when we close it.
Result<uint16_t> free_port() {
  const FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (!socket || ::bind(socket.get(), generic, length) != 0 ||
      ::getsockname(socket.get(), generic, &length) != 0) {
    return errno_error("looking for a free port on", "127.0.0.1");
  }
  return ntohs(address.sin_port);
}

}  // namespace

Result<Iperf3Outcome> parse_iperf3(std::string_view output) {
  const auto begin = output.find('{');
  if (begin == std::string_view::npos) {
    return Error{ErrorCode::corrupt, "iperf3 printed no result"};
  }
  const auto parsed = Json::parse(output.substr(begin));
  if (!parsed) return Error{ErrorCode::corrupt, "output of iperf3: " + parsed.error().message};
  const Json& json = *parsed;
  if (json["error"].is_string()) {
    return Error{ErrorCode::unavailable, "iperf3: " + json["error"].string_or("")};
  }
  const Json& end = json["end"];
  if (!end["sum_received"]["bits_per_second"].is_number()) {
    return Error{ErrorCode::corrupt, "output of iperf3: no TCP summary in it"};
  }
  Iperf3Outcome outcome{.bits_per_second = end["sum_received"]["bits_per_second"].number_or(0),
                        .retransmits = end["sum_sent"]["retransmits"].number_or(0)};
  const auto& intervals = json["intervals"].array();
  const double whole = intervals.empty() ? 0 : intervals.front()["sum"]["seconds"].number_or(0);
  for (const Json& interval : intervals) {
    const Json& sum = interval["sum"];
    if (sum["omitted"].bool_or(false)) continue;
    if (sum["seconds"].number_or(0) < whole * least_interval_share) continue;
    outcome.intervals.push_back(sum["bits_per_second"].number_or(0));
    for (const Json& stream : interval["streams"].array()) {
      if (stream["rtt"].is_number()) outcome.rtt_us.push_back(stream["rtt"].number_or(0));
    }
  }
  return outcome;
}

Result<Iperf3Server> Iperf3Server::start() {
  const uint16_t port = TRY(free_port());
  Child child = TRY(Child::start(
      {"iperf3", "--server", "--one-off", "--bind", "127.0.0.1", "--port", std::to_string(port)},
      {.output = "/dev/null"}));
  return Iperf3Server(std::move(child), port);
}

}  // namespace auscult::bench
