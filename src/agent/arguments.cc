#include "agent/arguments.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/clock.h"
#include "base/text.h"

namespace auscult::agent {

const std::string_view usage =
    "usage: auscult-agent [options]\n"
    "  --config FILE              YAML; the options below win over it\n"
    "  --server URL               where metrics and logs go (http://127.0.0.1:4318)\n"
    "  --control URL              where actions come from (http://127.0.0.1:9494)\n"
    "  --token-file FILE          the token that the server asks for\n"
    "  --ca FILE                  PEM: whom to trust for https (this host's authorities)\n"
    "  --certificate, --key FILE  PEM: who this agent is, where the server asks for it\n"
    "  --node-id NAME             this node (the host's name)\n"
    "  --cluster NAME             this cluster\n"
    "  --interval TIME            between collections (15s)\n"
    "  --spool DIR                where batches wait for the server "
    "(/var/lib/auscult/agent-spool)\n"
    "  --spool-max-bytes N        the oldest batches go when it is full (268435456)\n"
    "  --actions-file FILE        what this node allows (/etc/auscult/actions.yaml)\n"
    "  --server-public-key KEY    base64; without it no action runs\n"
    "  --log PATH=SOURCE          follow a log file; may be given several times\n"
    "  --kernel-log auto|off|PATH the kernel's log (auto)\n"
    "  --root DIR                 read proc/ and sys/ below DIR instead of this host's\n"
    "  --once --format prom       print one collection and end\n"
    "  --version, --help\n";

namespace {

constexpr std::array<std::string_view, 21> flags = {"--config",
                                                    "--server",
                                                    "--control",
                                                    "--node-id",
                                                    "--cluster",
                                                    "--interval",
                                                    "--spool",
                                                    "--actions-file",
                                                    "--log",
                                                    "--kernel-log",
                                                    "--root",
                                                    "--once",
                                                    "--server-public-key",
                                                    "--format",
                                                    "--version",
                                                    "--help",
                                                    "--spool-max-bytes",
                                                    "--token-file",
                                                    "--ca",
                                                    "--certificate",
                                                    "--key"};

Error usage_error(const std::string& message) {
  return {ErrorCode::invalid_input, message + " (auscult-agent --help lists the options)"};
}

struct Flag {
  std::string name;
  std::string value;
};

// "--name value" and "--name=value".
Result<std::vector<Flag>> split_flags(const std::vector<std::string>& arguments) {
  std::vector<Flag> all;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto& argument = arguments[i];
    const auto equals = argument.find('=');
    Flag flag = {.name = argument.substr(0, equals), .value = {}};
    if (std::find(flags.begin(), flags.end(), flag.name) == flags.end()) {
      const auto meant = nearest_word(flag.name, flags);
      return usage_error("unknown option '" + flag.name + "'" +
                         (meant.empty() ? "" : ": did you mean '" + meant + "'?"));
    }
    const bool takes_value =
        flag.name != "--once" && flag.name != "--version" && flag.name != "--help";
    if (equals != std::string::npos) {
      if (!takes_value) return usage_error(flag.name + " takes no value");
      flag.value = argument.substr(equals + 1);
    } else if (takes_value) {
      if (i + 1 >= arguments.size()) return usage_error(flag.name + " needs a value");
      flag.value = arguments[++i];
    }
    all.push_back(std::move(flag));
  }
  return all;
}

Result<Ok> apply(const Flag& flag, Arguments& arguments) {
  auto& config = arguments.config;
  const auto& [name, value] = flag;
  if (name == "--server") config.server = value;
  if (name == "--control") config.control = value;
  if (name == "--token-file") config.token_file = value;
  if (name == "--ca") config.ca = value;
  if (name == "--certificate") config.certificate = value;
  if (name == "--key") config.key = value;
  if (name == "--node-id") config.tags.node_id = value;
  if (name == "--cluster") config.tags.cluster = value;
  if (name == "--spool") config.spool = value;
  if (name == "--actions-file") config.actions_file = value;
  if (name == "--server-public-key") config.server_public_key = value;
  if (name == "--kernel-log") config.kernel_log = value;
  if (name == "--root") config.root = value;
  if (name == "--once") arguments.once = true;
  if (name == "--version") arguments.version = true;
  if (name == "--help") arguments.help = true;
  if (name == "--interval") config.interval = TRY(parse_duration(value), "--interval");
  if (name == "--spool-max-bytes") {
    const auto bytes = to_int(value);
    if (!bytes) return usage_error("--spool-max-bytes: not a number: " + value);
    config.spool_max_bytes = *bytes;
  }
  if (name == "--log") {
    const auto equals = value.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == value.size()) {
      return usage_error("--log needs PATH=SOURCE, not '" + value + "'");
    }
    config.logs.push_back({.path = value.substr(0, equals), .source = value.substr(equals + 1)});
  }
  if (name == "--format" && value != "prom") {
    return usage_error("--format must be prom, not '" + value + "'");
  }
  return Ok{};
}

}  // namespace

Result<Arguments> parse_arguments(const std::vector<std::string>& arguments,
                                  const std::string& host_name) {
  const auto given = TRY(split_flags(arguments));
  Arguments parsed;
  for (const auto& flag : given) {
    if (flag.name != "--config") continue;
    const auto yaml = TRY(read_yaml(flag.value));
    parsed.config = TRY(read_config(yaml, std::move(parsed.config)));
  }
  for (const auto& flag : given) TRY(apply(flag, parsed));
  if (parsed.help || parsed.version) return parsed;
  if (parsed.once) return parsed;
  if (parsed.config.tags.node_id.empty()) parsed.config.tags.node_id = host_name;
  TRY(check_config(parsed.config));
  return parsed;
}

}  // namespace auscult::agent
