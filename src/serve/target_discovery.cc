#include "serve/target_discovery.h"

#include <glob.h>
#include <sys/stat.h>

#include <memory>
#include <utility>

#include "base/file.h"
#include "base/log.h"
#include "base/yaml.h"

namespace auscult::serve {
namespace {

std::vector<std::string> expand(const std::string& pattern) {
  glob_t found{};
  const std::unique_ptr<glob_t, void (*)(glob_t*)> owner(&found, ::globfree);
  std::vector<std::string> paths;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  return paths;
}

// Empty: there is no such file.
std::string stamp_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return std::to_string(status.st_size) + " " + std::to_string(status.st_ino) + " " +
         std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec);
}

// JSON is read as the YAML that it is, so that errors have lines.
Result<std::vector<TargetGroup>> read_groups(const std::string& path) {
  const std::string text = TRY(read_file(path, TargetDiscovery::max_file_bytes));
  const Yaml root = TRY(parse_yaml(text, path));
  // Also what a writer leaves that has only just opened the file.
  if (root.kind == Yaml::Kind::null && path.ends_with(".json")) return root.error("it is empty");
  return parse_target_groups(root);
}

}  // namespace

TargetDiscovery::TargetDiscovery(std::vector<ScrapeJob> jobs, const Clock& clock)
    : jobs_(std::move(jobs)), clock_(clock) {
  refresh();
}

void TargetDiscovery::read(const std::string& path, std::chrono::nanoseconds refresh_interval,
                           File& file) const {
  std::string stamp = stamp_of(path);
  const auto now = clock_.monotonic();
  if (stamp == file.stamp && now - file.read_at < refresh_interval) return;
  file.stamp = std::move(stamp);
  file.read_at = now;
  auto groups = read_groups(path);
  if (groups) {
    file.groups = *std::move(groups);
    file.problem.clear();
    return;
  }
  const std::string& problem = groups.error().message;
  if (problem == file.problem) return;
  log_warning("targets: " + problem + "; those it had before are kept");
  file.problem = problem;
}

void TargetDiscovery::add(const ScrapeJob& job, const std::vector<TargetGroup>& groups,
                          std::map<std::string, Target>& targets) {
  for (const TargetGroup& group : groups) {
    for (const std::string& address : group.targets) {
      auto target = make_target(job, address, group.labels);
      if (!target) continue;  // it was valid when its group was read
      if (targets.size() >= max_targets) {
        if (!std::exchange(overflow_logged_, true)) {
          log_warning("targets beyond " + std::to_string(max_targets) + " are not scraped");
        }
        return;
      }
      std::string key = target->key();
      targets.emplace(std::move(key), *std::move(target));
    }
  }
}

void TargetDiscovery::refresh() {
  std::map<std::string, File> files;
  std::map<std::string, Target> targets;
  for (const ScrapeJob& job : jobs_) {
    add(job, job.groups, targets);
    for (const FileDiscovery& discovery : job.files) {
      for (const std::string& pattern : discovery.patterns) {
        for (const std::string& path : expand(pattern)) {
          const auto [file, is_new] = files.try_emplace(path);
          if (is_new) {
            if (const auto old = files_.find(path); old != files_.end()) {
              file->second = std::move(old->second);
            }
            read(path, discovery.refresh_interval, file->second);
          }
          add(job, file->second.groups, targets);
        }
      }
    }
  }
  files_ = std::move(files);
  targets_ = std::move(targets);
}

}  // namespace auscult::serve
