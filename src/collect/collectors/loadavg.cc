// Load averages, from /proc/loadavg.
#include <array>

#include "base/text.h"
#include "collect/host_file.h"

namespace auscult::collect {
namespace {

constexpr std::string_view file = "proc/loadavg";
constexpr std::array<std::string_view, 3> metrics = {"node_load1", "node_load5", "node_load15"};

Result<model::Samples> read(const Host& host) {
  const std::string text = TRY(read_host_file(host, file));
  if (text.empty()) return model::Samples{};
  const auto columns = words(text);
  if (columns.size() < metrics.size()) return malformed(file, 1, "too few columns");
  model::Samples samples;
  for (size_t i = 0; i < metrics.size(); ++i) {
    const auto value = to_double(columns[i]);
    if (!value) return malformed(file, 1, "not a number: " + std::string(columns[i]));
    samples.push_back(gauge(metrics[i], *value));
  }
  return samples;
}

}  // namespace

Collector loadavg() { return {.summary = "load averages", .read = read}; }

}  // namespace auscult::collect
