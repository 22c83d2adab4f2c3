// AgentConfig: what the agent is told, by a YAML file and by its command line.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/yaml.h"
#include "model/tags.h"

namespace auscult::agent {

struct LogFile {
  std::filesystem::path path;
  std::string source;  // kernel, nccl, trainer, ...
  bool operator==(const LogFile&) const = default;
};

struct AgentConfig {
  std::string server = "http://127.0.0.1:4318";   // OTLP/HTTP
  std::string control = "http://127.0.0.1:9494";  // actions
  // Files, PEM but for the token; all may be missing. The token is read anew for every request.
  std::filesystem::path token_file;
  std::filesystem::path ca;
  std::filesystem::path certificate;
  std::filesystem::path key;
  model::Tags tags;  // node_id: the host's name unless told otherwise
  std::chrono::milliseconds interval{15'000};
  std::filesystem::path spool = "/var/lib/auscult/agent-spool";
  int64_t spool_max_bytes = int64_t{256} << 20U;
  bool gzip = false;  // compression: smaller on the wire and on disk, more CPU
  std::vector<LogFile> logs;
  std::string kernel_log = "auto";  // auto, off, or a path
  std::vector<std::string> processes;
  std::filesystem::path actions_file = "/etc/auscult/actions.yaml";
  std::string server_public_key;  // base64; empty: no actions
  std::filesystem::path root = "/";
};

inline constexpr std::chrono::milliseconds min_interval{100};
inline constexpr int64_t min_spool_bytes = 1 << 20;

// The file's values over `defaults`. invalid_input "file:line: ...": a key that is not known (with
// the one that was meant), a wrong type, a value out of its range.
Result<AgentConfig> read_config(const Yaml& yaml, AgentConfig defaults);

// Checks what a file or a flag may have set. The message names the key.
Result<Ok> check_config(const AgentConfig& config);

}  // namespace auscult::agent
