// network: TCP over loopback (the host's own stack) or to a peer that runs `iperf3 --server`.

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include "base/file.h"
#include "base/loop.h"
#include "base/text.h"
#include "bench/benchmark.h"
#include "bench/iperf3.h"
#include "bench/params.h"
#include "bench/ping_pong.h"

namespace auscult::bench {

Benchmark network();

namespace {

constexpr double giga = 1e9;
constexpr double spare_seconds = 15;  // connecting, and iperf3's exchange of results at the end

// Our own server needs a moment until it listens; a look at it would use up its one client.
constexpr int connect_attempts = 40;
constexpr auto connect_pause = std::chrono::milliseconds(50);

double seconds_since(std::chrono::nanoseconds then) {
  return std::chrono::duration<double>(system_clock().monotonic() - then).count();
}

// The interface that packets to `host` leave by: the kernel chooses a source address, and that
// belongs to an interface. Connecting a datagram socket sends nothing.
Result<std::string> interface_to(const std::string& host, const std::string& port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found); error != 0) {
    return Error{ErrorCode::unavailable, "peer " + host + ": " + ::gai_strerror(error)};
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, &::freeaddrinfo);
  const FileDescriptor socket(::socket(addresses->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_storage local{};
  socklen_t length = sizeof(local);
  if (!socket || ::connect(socket.get(), addresses->ai_addr, addresses->ai_addrlen) != 0 ||
      ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&local), &length) != 0) {
    return errno_error("finding the route to", host);
  }
  const auto text_of = [](const sockaddr* address, socklen_t size) {
    std::array<char, NI_MAXHOST> name{};
    ::getnameinfo(address, size, name.data(), name.size(), nullptr, 0, NI_NUMERICHOST);
    return std::string(name.data());
  };
  const std::string source = text_of(reinterpret_cast<const sockaddr*>(&local), length);
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return errno_error("listing", "interfaces");
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> interfaces(list, &::freeifaddrs);
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != local.ss_family) continue;
    const socklen_t size = local.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    if (text_of(one->ifa_addr, size) == source) return std::string(one->ifa_name);
  }
  return Error{ErrorCode::unavailable, "no interface has the address " + source};
}

struct Target {
  std::string host;
  std::string port;
  double seconds = 0;
  int64_t streams = 1;
  double interval_seconds = 0;
};

Result<Iperf3Outcome> measure(const Target& target, double max_seconds) {
  const ProcessResult result = TRY(run_process(
      {"iperf3", "--client", target.host, "--port", target.port, "--json", "--time",
       std::to_string(std::lround(target.seconds)), "--parallel", std::to_string(target.streams),
       "--interval", format_number(target.interval_seconds)},
      {.timeout = std::chrono::milliseconds(std::llround(max_seconds * 1000))}));
  if (result.timed_out) {
    return Error{ErrorCode::unavailable,
                 "iperf3 did not end within " + format_number(max_seconds) + " s"};
  }
  return parse_iperf3(result.out);
}

// As measure(), against a server of our own.
Result<Iperf3Outcome> measure_loopback(Target target, double max_seconds) {
  const auto started = system_clock().monotonic();
  const Iperf3Server server = TRY(Iperf3Server::start());
  target.port = std::to_string(server.port());
  Sleeper sleeper;
  Error last{ErrorCode::unavailable, "iperf3's server did not begin to listen"};
  for (int attempt = 0; attempt < connect_attempts; ++attempt) {
    const double left = max_seconds - seconds_since(started);
    if (left <= 0) break;
    auto outcome = measure(target, left);
    if (outcome) return outcome;
    last = std::move(outcome).error();
    if (last.message.find("onnection refused") == std::string::npos) break;
    sleeper.sleep(connect_pause, {});
  }
  return last;
}

double percentile_99(std::vector<double> values) {
  const auto rank = static_cast<size_t>(std::ceil(0.99 * static_cast<double>(values.size())));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max<size_t>(rank, 1) - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

Result<Run> run_network(const Request& request) {
  const auto started = system_clock().monotonic();
  const model::Labels params = TRY(complete(network().defaults, request.params));
  const std::string peer(model::label(params, "peer"));
  const Target target{
      .host = peer.empty() ? "127.0.0.1" : peer,
      .port = std::to_string(TRY(count_param(params, "port", {1, 65535}))),
      .seconds = static_cast<double>(TRY(count_param(params, "seconds", {1, 3600}))),
      .streams = TRY(count_param(params, "streams", {1, 128})),
      .interval_seconds = TRY(number_param(params, "interval", {0.1, 60}))};
  Run run{.device = TRY(interface_to(target.host, target.port)), .params = params};
  if (!request.device.empty() && request.device != run.device) {
    return Error{ErrorCode::invalid_input,
                 target.host + " is reached by " + run.device + ", not by " + request.device};
  }
  if (request.progress) request.progress("network: " + target.host + " by " + run.device);
  double max_seconds = target.seconds + spare_seconds;
  if (request.max_seconds > 0) max_seconds = std::min(max_seconds, request.max_seconds);
  // Before the load: a round trip behind full buffers measures the buffers.
  std::vector<double> round_trips;
  if (peer.empty()) {
    constexpr double round_trip_seconds = 0.5;
    round_trips = TRY(loopback_round_trips(round_trip_seconds));
  }
  max_seconds = std::max(max_seconds - seconds_since(started), 0.1);
  const Iperf3Outcome outcome =
      TRY(peer.empty() ? measure_loopback(target, max_seconds) : measure(target, max_seconds));
  if (!peer.empty()) round_trips = outcome.rtt_us;

  std::vector<double> gigabits;
  for (const double bits : outcome.intervals) gigabits.push_back(bits / giga);
  run.measurements.push_back(
      {.metric = "bandwidth", .value = outcome.bits_per_second / giga, .samples = gigabits});
  if (!gigabits.empty()) {
    run.measurements.push_back(
        {.metric = "bandwidth_min", .value = *std::min_element(gigabits.begin(), gigabits.end())});
  }
  if (!round_trips.empty()) {
    run.measurements.push_back({.metric = "rtt_p99", .value = percentile_99(round_trips)});
  }
  run.measurements.push_back({.metric = "retransmits", .value = outcome.retransmits});
  return run;
}

double expected_seconds(const model::Labels& params) {
  return to_double(model::label(params, "seconds")).value_or(0) + 1;
}

}  // namespace

Benchmark network() {
  return {.summary = "TCP over loopback or to a peer (iperf3): bandwidth, round trips, retransmits",
          .metrics = {{"bandwidth", "Gbit/s", Better::higher},
                      {"bandwidth_min", "Gbit/s", Better::higher},
                      {"rtt_p99", "us", Better::lower},
                      {"retransmits", "count", Better::lower}},
          .preflight = {"cpu_governor", "other_load", "container_bridge"},
          .defaults = {{"interval", "0.25"},
                       {"peer", ""},
                       {"port", "5201"},
                       {"seconds", "5"},
                       {"streams", "1"}},
          .run = run_network,
          .expected_seconds = expected_seconds};
}

}  // namespace auscult::bench
