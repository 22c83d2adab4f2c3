// Memory, from /proc/meminfo: every field, under the name that node_exporter gives it.
#include "base/text.h"
#include "collect/host_file.h"

namespace auscult::collect {
namespace {

constexpr std::string_view file = "proc/meminfo";

// "Active(anon)" -> "Active_anon".
std::string field_name(std::string_view key) {
  std::string name(key);
  for (char& c : name) {
    if (c == '(') c = '_';
  }
  std::erase(name, ')');
  return name;
}

Result<model::Samples> read(const Host& host) {
  const std::string text = TRY(read_host_file(host, file));
  model::Samples samples;
  samples.reserve(64);
  size_t line_number = 0;
  for (const auto line : split(text, '\n')) {
    ++line_number;
    if (trim(line).empty()) continue;
    const auto colon = line.find(':');
    if (colon == line.npos) return malformed(file, line_number, "no colon");
    const auto columns = words(line.substr(colon + 1));
    const auto value = columns.empty() ? std::nullopt : to_double(columns[0]);
    if (!value) return malformed(file, line_number, "no number");
    const std::string metric = "node_memory_" + field_name(trim(line.substr(0, colon)));
    if (columns.size() > 1 && columns[1] == "kB") {
      samples.push_back(gauge(metric + "_bytes", *value * 1024));
    } else {
      samples.push_back(gauge(metric, *value));  // HugePages_Total and the like count pages
    }
  }
  return samples;
}

}  // namespace

Collector meminfo() { return {.summary = "memory, as /proc/meminfo has it", .read = read}; }

}  // namespace auscult::collect
