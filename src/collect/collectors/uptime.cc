// Seconds since the host booted, from /proc/uptime: what tells a reboot from a gap in the data.
#include "base/text.h"
#include "collect/host_file.h"

namespace auscult::collect {
namespace {

constexpr std::string_view file = "proc/uptime";

Result<model::Samples> read(const Host& host) {
  const std::string text = TRY(read_host_file(host, file));
  if (text.empty()) return model::Samples{};
  const auto columns = words(text);
  const auto uptime = columns.empty() ? std::nullopt : to_double(columns[0]);
  if (!uptime) return malformed(file, 1, "no number");
  return model::Samples{gauge("auscult_uptime_seconds", *uptime)};
}

}  // namespace

Collector uptime() { return {.summary = "seconds since boot", .read = read}; }

}  // namespace auscult::collect
