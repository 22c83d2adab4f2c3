// The processes that matter, as samples.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "collect/process_usage.h"
#include "model/sample.h"

namespace auscult::collect {

// Series are bounded: each chosen process makes four.
inline constexpr size_t top_processes = 5;         // by each of CPU, memory, I/O
inline constexpr size_t max_named_processes = 50;  // of the names that the configuration lists

// The top ones by CPU, by memory and by I/O, each process once, and after them those whose name is
// listed. Processes that use nothing of a kind are not at its top.
std::vector<ProcessUsage> processes_that_matter(const std::vector<ProcessUsage>& usages,
                                                const std::vector<std::string>& names);

// `auscult_process_rss_bytes`, `_cpu_cores`, `_read_bytes_per_second`, `_write_bytes_per_second`
// with labels pid and name. Rates that could not be read give no sample.
model::Samples process_samples(const std::vector<ProcessUsage>& usages, const model::Tags& tags,
                               int64_t now_ns);

}  // namespace auscult::collect
