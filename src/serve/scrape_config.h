// Scrape configuration: the list `scrape` of the server's file, in the words of Prometheus's
// scrape_configs, and the targets that it names.
// Source: prometheus.io/docs/prometheus/latest/configuration/configuration, scrape_config.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/yaml.h"
#include "model/tags.h"
#include "net/http.h"

namespace auscult::serve {

// Some addresses with labels in common.
struct TargetGroup {
  std::vector<std::string> targets;  // "node7:9100"
  model::Labels labels;              // sorted
};

struct FileDiscovery {
  std::vector<std::string> patterns;  // as for glob(7), absolute where the configuration's file is
  std::chrono::milliseconds refresh_interval{300'000};  // reread also when nothing seems changed
};

struct ScrapeJob {
  std::string name;
  std::chrono::milliseconds interval{15'000};
  std::chrono::milliseconds timeout{10'000};  // at most the interval
  std::string metrics_path = "/metrics";
  net::Headers params;  // of the URL
  bool honor_labels = false;
  bool honor_timestamps = true;
  uint64_t sample_limit = 0;  // a page with more counts as failed; 0: no limit but the decoder's
  std::vector<TargetGroup> groups;
  std::vector<FileDiscovery> files;
};

// One address to scrape.
struct Target {
  std::string base;      // "http://node7:9100"
  std::string path;      // with the query
  model::Labels labels;  // job, instance and those of its group; sorted
  std::chrono::milliseconds interval{};
  std::chrono::milliseconds timeout{};
  bool honor_labels = false;
  bool honor_timestamps = true;
  uint64_t sample_limit = 0;

  // Equal for the same address under the same labels.
  std::string key() const;
};

// A series is kept for an hour behind its last sample; a longer interval would lose sight of it.
inline constexpr std::chrono::minutes max_scrape_interval{30};

// Relative patterns of files are relative to `folder`. invalid_input names file and line.
Result<std::vector<ScrapeJob>> parse_scrape_jobs(const Yaml& list,
                                                 const std::filesystem::path& folder);

// The content of a file of file_sd_configs, or of static_configs. Every target in it has a valid
// address and labels.
Result<std::vector<TargetGroup>> parse_target_groups(const Yaml& list);

// `labels` of the group may say __metrics_path__ and __param_<name>; other labels that begin with
// "__" are dropped. invalid_input: no host or port in the address.
Result<Target> make_target(const ScrapeJob& job, const std::string& address,
                           const model::Labels& labels);

}  // namespace auscult::serve
