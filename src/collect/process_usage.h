// What each process uses: CPU, memory and I/O, from two looks at /proc/<pid>.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "collect/collector.h"

namespace auscult::collect {

struct ProcessUsage {
  int64_t pid = 0;
  std::string name;                   // comm
  std::string command;                // command line, arguments joined by blanks, at most 512 bytes
  double cpu_cores = 0;               // CPU seconds a second, user and system, over the interval
  double read_bytes_per_second = 0;   // at the block layer (/proc/<pid>/io read_bytes)
  double write_bytes_per_second = 0;  // as above; counted when the page is dirtied
  double rss_bytes = 0;               // at the end
  double rss_growth_bytes_per_second = 0;
  int64_t start_time_ns = 0;  // since the epoch; with the pid it names the process for ever
  std::string state;          // R, S, D, ...
};

struct ProcessSamplerOptions {
  bool commands = true;  // reading command lines costs a third of a look; false leaves them empty
};

// One look: cumulative counters of every process. Kernel threads are left out.
class ProcessSampler {
 public:
  using Options = ProcessSamplerOptions;
  explicit ProcessSampler(Host host, Options options = {})
      : host_(std::move(host)), options_(options) {}

  // The use since the previous call (an empty list at the first). `elapsed` is the caller's
  // measurement of the time between. A process that began between counts from its start. Processes
  // whose /proc/<pid>/io may not be read (no root) have NaN rates for I/O.
  std::vector<ProcessUsage> sample(std::chrono::nanoseconds elapsed);

 private:
  struct Counters {
    int64_t pid = 0;
    int64_t start_ticks = 0;
    double cpu_seconds = 0;
    double read_bytes = 0;
    double write_bytes = 0;
    double rss_bytes = 0;
  };
  Host host_;
  Options options_;
  bool looked_ = false;
  double boot_time_seconds_ = 0;
  std::vector<Counters> previous_;  // sorted by pid
};

}  // namespace auscult::collect
