// auscult-agent: builds the node agent, runs it until SIGINT or SIGTERM, stops it.
#include "agent/agent.h"

#include <malloc.h>
#include <unistd.h>

#include <array>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "agent/arguments.h"
#include "base/clock.h"
#include "base/loop.h"
#include "collect/collector.h"
#include "model/sample.h"

namespace {

constexpr int usage_error = 2;
constexpr int cannot_work = 3;

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

int fail(const auscult::Error& error, int status) {
  std::cerr << "auscult-agent: " << error.message << '\n';
  return status;
}

int run(const std::vector<std::string>& arguments) {
  const auto parsed = auscult::agent::parse_arguments(arguments, host_name());
  if (!parsed) return fail(parsed.error(), usage_error);
  if (parsed->help) {
    std::cout << auscult::agent::usage;
    return 0;
  }
  if (parsed->version) {
    std::cout << "auscult-agent " << AUSCULT_VERSION << '\n';
    return 0;
  }
  const auto& config = parsed->config;
  const auto& clock = auscult::system_clock();
  if (parsed->once) {
    const auto collection =
        auscult::collect::collect_all({.root = config.root}, config.tags, clock.now_ns());
    std::cout << auscult::model::to_prometheus_text(collection.samples, false);
    for (const auto& error : collection.errors) std::cerr << "auscult-agent: " << error << '\n';
    return 0;
  }
  auscult::block_stop_signals();
  const auto agent = auscult::agent::Agent::start(config, clock);
  if (!agent) return fail(agent.error(), cannot_work);
  while (auscult::wait_for_stop_signal(std::chrono::hours(1)) == 0) {
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  // One heap for all threads: each of glibc's own would keep its peak for ever.
  ::mallopt(M_ARENA_MAX, 1);
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "auscult-agent: " << error.what() << '\n';
    return cannot_work;
  }
}
