#include "collect/host_file.h"

#include "base/file.h"
#include "base/text.h"

namespace auscult::collect {
namespace {

// The longest file of /proc that a collector reads, /proc/stat, is 1 MiB on a host with 4,096
// interrupts and 2,048 CPUs.
constexpr size_t max_host_file_bytes = 8U << 20U;
constexpr size_t max_value_bytes = 4096;  // one page: what sysfs can give

}  // namespace

Result<std::string> read_host_file(const Host& host, std::string_view relative) {
  auto content = read_file(host.root / relative, max_host_file_bytes);
  if (!content && content.error().code == ErrorCode::not_found) return std::string();
  return content;
}

std::optional<std::string> read_value(const std::filesystem::path& path) {
  const auto content = read_file(path, max_value_bytes);
  if (!content) return {};
  return std::string(trim(*content));
}

std::optional<double> read_number(const std::filesystem::path& path) {
  const auto value = read_value(path);
  if (!value) return {};
  return to_double(*value);
}

model::Sample counter(std::string_view metric, double value, model::Labels labels) {
  return {.metric = std::string(metric),
          .labels = std::move(labels),
          .value = value,
          .kind = model::MetricKind::counter};
}

model::Sample gauge(std::string_view metric, double value, model::Labels labels) {
  return {.metric = std::string(metric),
          .labels = std::move(labels),
          .value = value,
          .kind = model::MetricKind::gauge};
}

Error malformed(std::string_view relative, size_t line, std::string_view what) {
  return {ErrorCode::corrupt,
          std::string(relative) + ":" + std::to_string(line) + ": " + std::string(what)};
}

}  // namespace auscult::collect
