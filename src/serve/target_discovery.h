// Target discovery: jobs -> the targets they have now. Files of file_sd_configs are read again when
// they change.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "serve/scrape_config.h"

namespace auscult::serve {

// One thread at a time.
class TargetDiscovery {
 public:
  static constexpr size_t max_targets = 20'000;  // more are left out, and logged
  static constexpr size_t max_file_bytes = size_t{16} << 20U;

  TargetDiscovery(std::vector<ScrapeJob> jobs, const Clock& clock);

  // Looks at the files. One that is broken keeps the targets it had and is logged once with its
  // line; one that is gone takes its targets along.
  void refresh();

  // By key.
  const std::map<std::string, Target>& targets() const { return targets_; }

 private:
  struct File {
    std::string stamp;  // size, inode and time of change when it was read
    std::chrono::nanoseconds read_at{};
    std::vector<TargetGroup> groups;
    std::string problem;  // logged already
  };

  void read(const std::string& path, std::chrono::nanoseconds refresh_interval, File& file) const;
  void add(const ScrapeJob& job, const std::vector<TargetGroup>& groups,
           std::map<std::string, Target>& targets);

  const std::vector<ScrapeJob> jobs_;
  const Clock& clock_;
  std::map<std::string, File> files_;  // by path
  std::map<std::string, Target> targets_;
  bool overflow_logged_ = false;
};

}  // namespace auscult::serve
