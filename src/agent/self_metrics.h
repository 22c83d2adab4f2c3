// What the agent says about itself.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "agent/spool.h"
#include "model/sample.h"

namespace auscult::agent {

struct SelfCounters {
  SpoolStats spool;
  uint64_t send_failures = 0;
  uint64_t refused_batches = 0;
  uint64_t rejected_items = 0;
  uint64_t sent_batches = 0;
  uint64_t log_records = 0;
  uint64_t lost_kernel_messages = 0;
  std::map<std::string, uint64_t> collector_failures;  // by collector
};

// This process's memory and CPU, and the counters, as `auscult_agent_*`,
// `auscult_spool_dropped_batches_total` and `auscult_collector_failures_total{collector}`.
model::Samples self_samples(const SelfCounters& counters, const model::Tags& tags, int64_t now_ns);

}  // namespace auscult::agent
