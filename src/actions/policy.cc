// The policy of a node: which actions its owner allows.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "actions/action.h"
#include "actions/executor.h"
#include "base/file.h"
#include "base/text.h"
#include "base/yaml.h"

namespace auscult::actions {
namespace {

constexpr size_t most_policy_bytes = 65536;

Error refuse(const std::filesystem::path& path, const std::string& why) {
  return {ErrorCode::invalid_input, path.string() + ": " + why};
}

// Of the file or of its folder: who may write into the folder may put another file there.
Result<Ok> check_owner(const FileDescriptor& file, mode_t kind, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return errno_error("reading", path);
  if ((status.st_mode & S_IFMT) != kind) return refuse(path, "this is no regular file");
  if (status.st_uid != 0 && (::geteuid() == 0 || status.st_uid != ::geteuid())) {
    return refuse(path, "it belongs to user " + std::to_string(status.st_uid) +
                            ": only root may allow actions (chown root)");
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return refuse(path, "others than its owner may write it: chmod go-w");
  }
  return Ok{};
}

// Reads what was checked, through the same descriptor: the name may lead elsewhere by now.
Result<std::string> read_all(const FileDescriptor& file, const std::filesystem::path& path) {
  std::string text(most_policy_bytes + 1, '\0');
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t n = ::read(file.get(), text.data() + size, text.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error("reading", path);
    if (n == 0) break;
    size += static_cast<size_t>(n);
  }
  if (size > most_policy_bytes) return refuse(path, "longer than 64 KiB");
  text.resize(size);
  return text;
}

Result<Ok> check_classes(const Yaml* node) {
  if (node == nullptr) return Ok{};
  const auto table = all_executors();
  std::vector<std::string_view> known;
  known.reserve(table.size());
  for (const auto& row : table) known.push_back(row.value.action_class);
  const std::vector<Yaml> single = {*node};
  for (const Yaml& item : node->kind == Yaml::Kind::scalar ? single : node->list) {
    if (std::find(known.begin(), known.end(), item.scalar) != known.end()) continue;
    const std::string near = nearest_word(item.scalar, known);
    return item.error("there is no class of actions '" + item.scalar + "'" +
                      (near.empty() ? std::string() : ": did you mean '" + near + "'?"));
  }
  return Ok{};
}

}  // namespace

Result<Ok> check_class(const ActionPolicy& policy, const std::string& action_class) {
  if (!policy.enabled) {
    return Error{ErrorCode::invalid_input, "actions are switched off on this node"};
  }
  if (!policy.allow.contains(action_class)) {
    return Error{ErrorCode::invalid_input,
                 "this node does not allow the class '" + action_class + "'"};
  }
  return Ok{};
}

Result<ActionPolicy> load_policy(const std::filesystem::path& path) {
  const auto folder_path = path.has_parent_path() ? path.parent_path() : ".";
  const auto missing_allows_nothing = [](Error error) -> Result<ActionPolicy> {
    if (error.code == ErrorCode::not_found) return ActionPolicy{};
    return error;
  };
  const FileDescriptor folder(::open(folder_path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return missing_allows_nothing(errno_error("reading", folder_path));
  // O_NONBLOCK: opening a pipe would wait for somebody to write into it.
  const FileDescriptor file(::openat(folder.get(), path.filename().c_str(),
                                     O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  if (!file && errno == ELOOP) return refuse(path, "this is a symbolic link, no regular file");
  if (!file) return missing_allows_nothing(errno_error("reading", path));
  TRY(check_owner(folder, S_IFDIR, folder_path));
  TRY(check_owner(file, S_IFREG, path));
  const std::string text = TRY(read_all(file, path));
  const Yaml yaml = TRY(parse_yaml(text, path.string()));
  if (yaml.kind != Yaml::Kind::map && yaml.kind != Yaml::Kind::null) {
    return yaml.error("'key: value' lines were expected");
  }
  YamlReader reader(yaml);
  ActionPolicy policy;
  policy.enabled = reader.boolean("enabled", policy.enabled);
  for (auto& name : reader.texts("allow")) policy.allow.insert(std::move(name));
  policy.scratch = reader.text("scratch", policy.scratch.string());
  policy.max_seconds = reader.number("max_seconds", policy.max_seconds);
  policy.max_bytes = reader.integer("max_bytes", policy.max_bytes);
  for (auto& host : reader.texts("allow_peers")) policy.allow_peers.insert(std::move(host));
  TRY(reader.finish());
  TRY(check_classes(yaml.find("allow")));
  if (!policy.scratch.is_absolute()) return yaml.error("'scratch' must be an absolute path");
  if (!std::isfinite(policy.max_seconds) || policy.max_seconds <= 0 || policy.max_bytes < 0) {
    return yaml.error("'max_seconds' must be above 0, 'max_bytes' at least 0");
  }
  return policy;
}

}  // namespace auscult::actions
