#include "base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <string>

namespace auscult {
namespace {

spdlog::logger& logger() {
  static const auto instance = [] {
    auto created = std::make_shared<spdlog::logger>(
        "auscult", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    created->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
    return created;
  }();
  return *instance;
}

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

}  // namespace

void log(LogLevel level, std::string_view message) {
  if (!logger().should_log(to_spdlog(level))) return;
  // What others send must not be able to write lines that look like ours.
  std::string line(message);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  logger().log(to_spdlog(level), "{}", line);
}

void set_log_level(LogLevel level) { logger().set_level(to_spdlog(level)); }

}  // namespace auscult
