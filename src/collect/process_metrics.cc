#include "collect/process_metrics.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "collect/host_file.h"

namespace auscult::collect {
namespace {

double io_rate(const ProcessUsage& usage) {
  const double both = usage.read_bytes_per_second + usage.write_bytes_per_second;
  return std::isnan(both) ? 0 : both;
}
double cpu_rate(const ProcessUsage& usage) { return usage.cpu_cores; }
double memory(const ProcessUsage& usage) { return usage.rss_bytes; }

}  // namespace

std::vector<ProcessUsage> processes_that_matter(const std::vector<ProcessUsage>& usages,
                                                const std::vector<std::string>& names) {
  std::vector<size_t> chosen;
  std::set<size_t> seen;
  const auto choose = [&](size_t index) {
    if (seen.insert(index).second) chosen.push_back(index);
  };
  for (const auto by : {cpu_rate, memory, io_rate}) {
    std::vector<size_t> order;
    for (size_t i = 0; i < usages.size(); ++i) {
      if (by(usages[i]) > 0) order.push_back(i);
    }
    const size_t count = std::min(order.size(), top_processes);
    std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(count), order.end(),
                      [&](size_t a, size_t b) {
                        return by(usages[a]) != by(usages[b]) ? by(usages[a]) > by(usages[b])
                                                              : usages[a].pid < usages[b].pid;
                      });
    for (size_t i = 0; i < count; ++i) choose(order[i]);
  }
  size_t named = 0;
  for (size_t i = 0; i < usages.size() && named < max_named_processes; ++i) {
    if (std::find(names.begin(), names.end(), usages[i].name) == names.end()) continue;
    ++named;
    choose(i);
  }
  std::vector<ProcessUsage> result;
  for (const size_t index : chosen) result.push_back(usages[index]);
  return result;
}

model::Samples process_samples(const std::vector<ProcessUsage>& usages, const model::Tags& tags,
                               int64_t now_ns) {
  model::Samples samples;
  for (const auto& usage : usages) {
    const model::Labels labels = {{"name", valid_utf8(usage.name)},
                                  {"pid", std::to_string(usage.pid)}};
    const auto add = [&](std::string_view metric, double value) {
      if (std::isnan(value)) return;
      auto sample = gauge(metric, value, labels);
      sample.tags = tags;
      sample.timestamp_ns = now_ns;
      samples.push_back(std::move(sample));
    };
    add("auscult_process_rss_bytes", usage.rss_bytes);
    add("auscult_process_cpu_cores", usage.cpu_cores);
    add("auscult_process_read_bytes_per_second", usage.read_bytes_per_second);
    add("auscult_process_write_bytes_per_second", usage.write_bytes_per_second);
  }
  return samples;
}

}  // namespace auscult::collect
