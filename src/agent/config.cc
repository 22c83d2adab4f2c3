#include "agent/config.h"

#include "base/clock.h"
#include "base/text.h"
#include "net/client.h"

namespace auscult::agent {
namespace {

Result<Ok> read_tags(const Yaml& yaml, model::Tags& tags) {
  YamlReader reader(yaml);
  tags.job_id = reader.text("job_id", tags.job_id);
  tags.model_name = reader.text("model_name", tags.model_name);
  return reader.finish();
}

Result<Ok> read_tls(const Yaml& yaml, AgentConfig& config) {
  YamlReader reader(yaml);
  config.ca = reader.text("ca", config.ca.string());
  config.certificate = reader.text("certificate", config.certificate.string());
  config.key = reader.text("key", config.key.string());
  return reader.finish();
}

Result<Ok> read_logs(const Yaml& yaml, std::vector<LogFile>& logs) {
  if (yaml.kind != Yaml::Kind::list) {
    return yaml.error("logs must be a list of {path: FILE, source: NAME}");
  }
  for (const auto& entry : yaml.list) {
    if (entry.kind != Yaml::Kind::map) return entry.error("expected {path: FILE, source: NAME}");
    YamlReader reader(entry);
    LogFile log = {.path = reader.required("path"), .source = reader.required("source")};
    TRY(reader.finish());
    logs.push_back(std::move(log));
  }
  return Ok{};
}

}  // namespace

Result<AgentConfig> read_config(const Yaml& yaml, AgentConfig defaults) {
  AgentConfig config = std::move(defaults);
  YamlReader reader(yaml);
  config.server = reader.text("server", config.server);
  config.control = reader.text("control", config.control);
  config.tags.node_id = reader.text("node_id", config.tags.node_id);
  config.tags.cluster = reader.text("cluster", config.tags.cluster);
  config.spool = reader.text("spool", config.spool.string());
  config.spool_max_bytes = reader.integer("spool_max_bytes", config.spool_max_bytes);
  config.kernel_log = reader.text("kernel_log", config.kernel_log);
  config.actions_file = reader.text("actions_file", config.actions_file.string());
  config.token_file = reader.text("token_file", config.token_file.string());
  config.server_public_key = reader.text("server_public_key", config.server_public_key);
  const std::string interval = reader.text("interval");
  const std::string compression = reader.text("compression");
  auto processes = reader.texts("processes");
  const Yaml* tags = reader.node("tags");
  const Yaml* tls = reader.node("tls");
  const Yaml* logs = reader.node("logs");
  TRY(reader.finish());
  if (!processes.empty()) config.processes = std::move(processes);
  if (!interval.empty()) {
    const auto duration = parse_duration(interval);
    if (!duration) return yaml.find("interval")->error("interval: " + duration.error().message);
    config.interval = *duration;
  }
  if (!compression.empty()) {
    if (compression != "gzip" && compression != "none") {
      return yaml.find("compression")->error("compression must be gzip or none");
    }
    config.gzip = compression == "gzip";
  }
  if (tags != nullptr) TRY(read_tags(*tags, config.tags));
  if (tls != nullptr) TRY(read_tls(*tls, config));
  if (logs != nullptr) TRY(read_logs(*logs, config.logs));
  return config;
}

Result<Ok> check_config(const AgentConfig& config) {
  TRY(net::parse_url(config.server), "server");
  TRY(net::parse_url(config.control), "control");
  if (config.certificate.empty() != config.key.empty()) {
    return Error{ErrorCode::invalid_input, "certificate and key go together"};
  }
  if (config.interval < min_interval) {
    return Error{ErrorCode::invalid_input, "interval must be at least 100ms"};
  }
  if (config.spool_max_bytes < min_spool_bytes) {
    return Error{ErrorCode::invalid_input,
                 "spool_max_bytes must be at least " + std::to_string(min_spool_bytes)};
  }
  if (config.spool.empty()) {
    return Error{ErrorCode::invalid_input, "spool must name a folder"};
  }
  if (config.tags.node_id.empty()) {
    return Error{ErrorCode::invalid_input, "node_id must not be empty"};
  }
  const bool known = config.kernel_log == "auto" || config.kernel_log == "off" ||
                     config.kernel_log.starts_with('/');
  if (!known) {
    return Error{ErrorCode::invalid_input, "kernel_log must be auto, off or an absolute path"};
  }
  return Ok{};
}

}  // namespace auscult::agent
