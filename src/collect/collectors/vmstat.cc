// Paging, swapping, page faults and OOM kills, from /proc/vmstat: node_exporter's default fields.
#include "base/text.h"
#include "collect/host_file.h"

namespace auscult::collect {
namespace {

constexpr std::string_view file = "proc/vmstat";

bool wanted(std::string_view field) {
  return field.starts_with("oom_kill") || field.starts_with("pgpg") || field.starts_with("pswp") ||
         (field.starts_with("pg") && field.find("fault", 2) != field.npos);
}

Result<model::Samples> read(const Host& host) {
  const std::string text = TRY(read_host_file(host, file));
  model::Samples samples;
  size_t line_number = 0;
  for (const auto line : split(text, '\n')) {
    ++line_number;
    if (!wanted(line)) continue;  // by its beginning; the file has 150 lines
    const auto columns = words(line);
    const auto value = columns.size() < 2 ? std::nullopt : to_double(columns[1]);
    if (!value) return malformed(file, line_number, "no number after " + std::string(columns[0]));
    samples.push_back(counter("node_vmstat_" + std::string(columns[0]), *value));
  }
  return samples;
}

}  // namespace

Collector vmstat() { return {.summary = "paging, swapping, OOM kills", .read = read}; }

}  // namespace auscult::collect
