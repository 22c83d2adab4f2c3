#include "serve/scrape_config.h"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "model/series.h"
#include "net/client.h"
#include "serve/prometheus_duration.h"

namespace auscult::serve {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds min_interval{100};

// [a-zA-Z_][a-zA-Z0-9_]*
bool is_label_name(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

Result<std::string> scalar_of(const Yaml& value) {
  if (value.kind == Yaml::Kind::null) return std::string();
  if (value.kind != Yaml::Kind::scalar) return value.error("expected a text");
  return value.scalar;
}

// Absent is empty.
Result<std::span<const Yaml>> list_of(const Yaml* node, std::string_view what) {
  if (node == nullptr || node->kind == Yaml::Kind::null) return std::span<const Yaml>();
  if (node->kind != Yaml::Kind::list) return node->error("expected a list of " + std::string(what));
  return std::span<const Yaml>(node->list);
}

Result<model::Labels> parse_labels(const Yaml* node) {
  model::Labels labels;
  if (node == nullptr || node->kind == Yaml::Kind::null) return labels;
  if (node->kind != Yaml::Kind::map) return node->error("expected names and values of labels");
  for (const auto& [name, value] : node->map) {
    if (!is_label_name(name)) return value.error("'" + name + "' is no name of a label");
    labels.emplace_back(name, TRY(scalar_of(value)));
  }
  std::sort(labels.begin(), labels.end());
  return labels;
}

Result<net::Headers> parse_params(const Yaml* node) {
  net::Headers params;
  if (node == nullptr || node->kind == Yaml::Kind::null) return params;
  if (node->kind != Yaml::Kind::map) return node->error("expected names and lists of values");
  for (const auto& [name, values] : node->map) {
    for (const Yaml& value : TRY(list_of(&values, "values"))) {
      params.emplace_back(name, TRY(scalar_of(value)));
    }
  }
  return params;
}

Result<milliseconds> parse_duration_at(const Yaml& map, std::string_view key, YamlReader& reader,
                                       milliseconds fallback) {
  const std::string text = reader.text(key);
  if (text.empty()) return fallback;
  const auto duration = parse_prometheus_duration(text);
  if (!duration) return map.find(key)->error(duration.error().message);
  return *duration;
}

Result<FileDiscovery> parse_file_discovery(const Yaml& node, const std::filesystem::path& folder) {
  YamlReader reader(node);
  FileDiscovery discovery;
  discovery.patterns = reader.texts("files");
  discovery.refresh_interval =
      TRY(parse_duration_at(node, "refresh_interval", reader, discovery.refresh_interval));
  TRY(reader.finish());
  if (discovery.patterns.empty()) return node.error("'files' is missing");
  for (std::string& pattern : discovery.patterns) {
    const std::filesystem::path path(pattern);
    if (path.extension() != ".json" && path.extension() != ".yml" && path.extension() != ".yaml") {
      return node.find("files")->error("'" + pattern + "' must end in .json, .yml or .yaml");
    }
    if (path.is_relative()) pattern = (folder / path).string();
  }
  return discovery;
}

Result<Ok> check_times(const Yaml& node, ScrapeJob& job, bool timeout_given) {
  const auto at = [&](std::string_view key) -> const Yaml& {
    const Yaml* found = node.find(key);
    return found == nullptr ? node : *found;
  };
  if (job.interval < min_interval || job.interval > max_scrape_interval) {
    return at("scrape_interval").error("'scrape_interval' must lie between 100ms and 30m");
  }
  if (!timeout_given) job.timeout = std::min(job.timeout, job.interval);
  if (job.timeout.count() <= 0 || job.timeout > job.interval) {
    return at("scrape_timeout").error("'scrape_timeout' must be above 0 and at most the interval");
  }
  return Ok{};
}

Result<ScrapeJob> parse_job(const Yaml& node, const std::filesystem::path& folder) {
  YamlReader reader(node);
  ScrapeJob job;
  job.name = reader.required("job_name");
  job.interval = TRY(parse_duration_at(node, "scrape_interval", reader, job.interval));
  job.timeout = TRY(parse_duration_at(node, "scrape_timeout", reader, job.timeout));
  job.metrics_path = reader.text("metrics_path", job.metrics_path);
  const std::string scheme = reader.text("scheme", "http");
  job.params = TRY(parse_params(reader.node("params")));
  job.honor_labels = reader.boolean("honor_labels", job.honor_labels);
  job.honor_timestamps = reader.boolean("honor_timestamps", job.honor_timestamps);
  const int64_t sample_limit = reader.integer("sample_limit", 0);
  const Yaml* groups = reader.node("static_configs");
  const Yaml* files = reader.node("file_sd_configs");
  TRY(reader.finish());
  if (job.name.empty()) return node.error("'job_name' is empty");
  if (scheme != "http") {
    return node.find("scheme")->error("scheme '" + scheme + "' is not supported: use http");
  }
  if (sample_limit < 0) return node.find("sample_limit")->error("'sample_limit' is negative");
  job.sample_limit = static_cast<uint64_t>(sample_limit);
  TRY(check_times(node, job, node.find("scrape_timeout") != nullptr));
  if (groups != nullptr) job.groups = TRY(parse_target_groups(*groups));
  for (const Yaml& each : TRY(list_of(files, "file_sd_configs"))) {
    job.files.push_back(TRY(parse_file_discovery(each, folder)));
  }
  return job;
}

}  // namespace

std::string Target::key() const { return base + path + "\n" + model::identity({.labels = labels}); }

Result<std::vector<ScrapeJob>> parse_scrape_jobs(const Yaml& list,
                                                 const std::filesystem::path& folder) {
  std::vector<ScrapeJob> jobs;
  std::set<std::string> names;
  for (const Yaml& node : TRY(list_of(&list, "jobs"))) {
    jobs.push_back(TRY(parse_job(node, folder)));
    if (!names.insert(jobs.back().name).second) {
      return node.error("there are two jobs '" + jobs.back().name + "'");
    }
  }
  return jobs;
}

Result<std::vector<TargetGroup>> parse_target_groups(const Yaml& list) {
  std::vector<TargetGroup> groups;
  for (const Yaml& node : TRY(list_of(&list, "groups of targets"))) {
    YamlReader reader(node);
    const Yaml* targets = reader.node("targets");
    const Yaml* labels = reader.node("labels");
    TRY(reader.finish());
    TargetGroup group;
    group.labels = TRY(parse_labels(labels));
    for (const Yaml& target : TRY(list_of(targets, "targets"))) {
      group.targets.push_back(TRY(scalar_of(target)));
      if (const auto made = make_target({}, group.targets.back(), group.labels); !made) {
        return target.error(made.error().message);
      }
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

Result<Target> make_target(const ScrapeJob& job, const std::string& address,
                           const model::Labels& labels) {
  Target target{.base = "http://" + address,
                .path = job.metrics_path,
                .labels = {},
                .interval = job.interval,
                .timeout = job.timeout,
                .honor_labels = job.honor_labels,
                .honor_timestamps = job.honor_timestamps,
                .sample_limit = job.sample_limit};
  net::Headers params = job.params;
  bool has_instance = false;
  bool has_job = false;
  constexpr std::string_view param = "__param_";
  for (const auto& [name, value] : labels) {
    if (name == "__metrics_path__") target.path = value;
    if (name.starts_with(param)) params.emplace_back(name.substr(param.size()), value);
    if (name.starts_with("__") || value.empty()) continue;
    has_instance |= name == "instance";
    has_job |= name == "job";
    target.labels.emplace_back(name, value);
  }
  if (!has_instance) target.labels.emplace_back("instance", address);
  if (!has_job) target.labels.emplace_back("job", job.name);
  std::sort(target.labels.begin(), target.labels.end());
  for (const auto& [name, value] : params) {
    target.path += target.path.find('?') == std::string::npos ? '?' : '&';
    target.path += net::url_encode(name) + "=" + net::url_encode(value);
  }
  if (!target.path.starts_with('/')) target.path.insert(0, "/");
  if (address.find('/') != std::string::npos) {
    return Error{ErrorCode::invalid_input,
                 "target '" + address + "' is no address: write host:port, without scheme or path"};
  }
  const auto url = net::parse_url(target.base + target.path);
  if (!url)
    return Error{ErrorCode::invalid_input, "target '" + address + "': " + url.error().message};
  return target;
}

}  // namespace auscult::serve
