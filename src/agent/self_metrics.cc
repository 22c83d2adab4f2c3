#include "agent/self_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "collect/host_file.h"

namespace auscult::agent {
namespace {

// Resident pages: the second number of /proc/self/statm.
double rss_bytes() {
  const auto text = read_file("/proc/self/statm", 4096);
  const auto columns = text ? words(*text) : std::vector<std::string_view>();
  const auto pages = columns.size() > 1 ? to_double(columns[1]) : std::nullopt;
  return pages.value_or(0) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double cpu_seconds() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

model::Samples self_samples(const SelfCounters& counters, const model::Tags& tags, int64_t now_ns) {
  using collect::counter;
  using collect::gauge;
  const auto number = [](auto value) { return static_cast<double>(value); };
  model::Samples samples = {
      gauge("auscult_agent_rss_bytes", rss_bytes()),
      counter("auscult_agent_cpu_seconds_total", cpu_seconds()),
      gauge("auscult_agent_spool_bytes", number(counters.spool.bytes)),
      gauge("auscult_agent_spool_records", number(counters.spool.records)),
      counter("auscult_spool_dropped_batches_total", number(counters.spool.dropped_batches)),
      counter("auscult_agent_send_failures_total", number(counters.send_failures)),
      counter("auscult_agent_refused_batches_total", number(counters.refused_batches)),
      counter("auscult_agent_rejected_items_total", number(counters.rejected_items)),
      counter("auscult_agent_sent_batches_total", number(counters.sent_batches)),
      counter("auscult_agent_log_records_total", number(counters.log_records)),
      counter("auscult_agent_lost_kernel_messages_total", number(counters.lost_kernel_messages))};
  for (const auto& [collector, failures] : counters.collector_failures) {
    samples.push_back(
        counter("auscult_collector_failures_total", number(failures), {{"collector", collector}}));
  }
  for (auto& sample : samples) {
    sample.tags = tags;
    sample.timestamp_ns = now_ns;
  }
  return samples;
}

}  // namespace auscult::agent
