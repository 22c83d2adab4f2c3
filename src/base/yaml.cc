#include "base/yaml.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "base/file.h"
#include "base/text.h"

namespace auscult {
namespace {

constexpr int max_depth = 64;
constexpr size_t max_nodes = 1'000'000;  // an alias bomb ends here

Result<Yaml> convert(const YAML::Node& node, const std::string& file, int depth, size_t& budget) {
  Yaml out;
  out.file = file;
  out.line = node.Mark().line + 1;
  if (depth > max_depth) return out.error("nested deeper than 64 levels");
  if (budget-- == 0) return out.error("more than 1,000,000 values");
  if (node.IsScalar()) {
    out.kind = Yaml::Kind::scalar;
    out.scalar = node.Scalar();
  } else if (node.IsSequence()) {
    out.kind = Yaml::Kind::list;
    for (const auto& item : node) out.list.push_back(TRY(convert(item, file, depth + 1, budget)));
  } else if (node.IsMap()) {
    out.kind = Yaml::Kind::map;
    for (const auto& entry : node) {
      if (!entry.first.IsScalar()) return out.error("a key must be a plain word");
      auto value = TRY(convert(entry.second, file, depth + 1, budget));
      // yaml-cpp gives an empty value no place of its own.
      if (value.line <= 0) value.line = entry.first.Mark().line + 1;
      const std::string& key = entry.first.Scalar();
      if (out.find(key) != nullptr) return value.error("key '" + key + "' stands twice");
      out.map.emplace_back(key, std::move(value));
    }
  }
  return out;
}

}  // namespace

const Yaml* Yaml::find(std::string_view key) const {
  for (const auto& [name, value] : map) {
    if (name == key) return &value;
  }
  return nullptr;
}

Error Yaml::error(std::string_view message) const {
  return {ErrorCode::invalid_input,
          file + ":" + std::to_string(std::max(line, 1)) + ": " + std::string(message)};
}

Result<Yaml> parse_yaml(std::string_view text, const std::string& name) {
  try {
    const YAML::Node root = YAML::Load(std::string(text));
    size_t budget = max_nodes;
    return convert(root, name, 0, budget);
  } catch (const YAML::Exception& problem) {
    return Error{ErrorCode::invalid_input,
                 name + ":" + std::to_string(problem.mark.line + 1) + ": " + problem.msg};
  }
}

Result<Yaml> read_yaml(const std::filesystem::path& path) {
  return parse_yaml(TRY(read_file(path)), path.string());
}

const Yaml* YamlReader::take(std::string_view key) {
  known_.emplace_back(key);
  if (node_.kind != Yaml::Kind::map && node_.kind != Yaml::Kind::null) {
    fail(node_, "expected keys and values");
    return nullptr;
  }
  return node_.find(key);
}

void YamlReader::fail(const Yaml& at, std::string_view message) {
  if (problem_.empty()) problem_ = at.error(message).message;
}

std::string YamlReader::text(std::string_view key, std::string_view fallback) {
  const Yaml* value = take(key);
  if (value == nullptr) return std::string(fallback);
  if (value->kind != Yaml::Kind::scalar) {
    fail(*value, "'" + std::string(key) + "' must be one value");
    return std::string(fallback);
  }
  return value->scalar;
}

double YamlReader::number(std::string_view key, double fallback) {
  const Yaml* value = take(key);
  if (value == nullptr) return fallback;
  const auto number = to_double(value->scalar);
  if (value->kind != Yaml::Kind::scalar || !number) {
    fail(*value, "'" + std::string(key) + "' must be a number, not '" + value->scalar + "'");
  }
  return number.value_or(fallback);
}

int64_t YamlReader::integer(std::string_view key, int64_t fallback) {
  const Yaml* value = take(key);
  if (value == nullptr) return fallback;
  const auto number = to_int(value->scalar);
  if (value->kind != Yaml::Kind::scalar || !number) {
    fail(*value, "'" + std::string(key) + "' must be a whole number, not '" + value->scalar + "'");
  }
  return number.value_or(fallback);
}

bool YamlReader::boolean(std::string_view key, bool fallback) {
  const Yaml* value = take(key);
  if (value == nullptr) return fallback;
  if (value->scalar == "true") return true;
  if (value->scalar == "false") return false;
  fail(*value, "'" + std::string(key) + "' must be true or false, not '" + value->scalar + "'");
  return fallback;
}

std::vector<std::string> YamlReader::texts(std::string_view key) {
  const Yaml* value = take(key);
  std::vector<std::string> found;
  if (value == nullptr) return found;
  if (value->kind == Yaml::Kind::scalar) return {value->scalar};
  for (const Yaml& item : value->list) {
    if (item.kind != Yaml::Kind::scalar) {
      fail(item, "'" + std::string(key) + "' must be a list of plain values");
      return found;
    }
    found.push_back(item.scalar);
  }
  if (value->kind == Yaml::Kind::map) fail(*value, "'" + std::string(key) + "' must be a list");
  return found;
}

const Yaml* YamlReader::node(std::string_view key) { return take(key); }

std::string YamlReader::required(std::string_view key) {
  const Yaml* value = take(key);
  if (value == nullptr) {
    fail(node_, "'" + std::string(key) + "' is missing");
    return {};
  }
  known_.pop_back();
  return text(key);
}

Result<Ok> YamlReader::finish() const {
  if (!problem_.empty()) return Error{ErrorCode::invalid_input, problem_};
  const std::vector<std::string_view> candidates(known_.begin(), known_.end());
  for (const auto& [key, value] : node_.map) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    const std::string near = nearest_word(key, candidates);
    return value.error("unknown key '" + key + "'" +
                       (near.empty() ? std::string() : ": did you mean '" + near + "'?"));
  }
  return Ok{};
}

}  // namespace auscult
