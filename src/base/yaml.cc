#include "base/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "base/file.h"
#include "base/text.h"

namespace auscult {
namespace {

// Enough for any file a person writes; the parser's own recursion ends at 500 levels.
constexpr size_t max_depth = 64;
constexpr size_t max_values = 1'000'000;  // about 200 MB of ours

// Builds a Yaml from the parser's events. Events rather than the parser's own tree: that one has
// followed the aliases already and has forgotten where an empty value stood.
class Builder : public YAML::EventHandler {
 public:
  explicit Builder(std::string file) : file_(std::move(file)) {
    root_.file = file_;
    root_.line = 1;
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++n_documents_ > 1) fail(mark, "only one document a file");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    add(value(mark, Yaml::Kind::null));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    fail(mark, "aliases (*name) are not allowed: write the value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& text) override {
    if (!open_.empty() && open_.back().value.kind == Yaml::Kind::map && !open_.back().has_key) {
      start_member(mark, text);
      return;
    }
    Yaml scalar = value(mark, Yaml::Kind::scalar);
    scalar.scalar = text;
    add(std::move(scalar));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/,
                       YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) override {
    open(mark, Yaml::Kind::list);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, Yaml::Kind::map);
  }
  void OnMapEnd() override { close(); }

  Yaml result() && { return std::move(root_); }

 private:
  // A list or map that is not yet closed.
  struct Open {
    Yaml value;
    bool has_key = false;             // a map: its last key waits for its value
    std::set<std::string> keys = {};  // of a map; finds a repeated one without comparing all
  };

  Yaml value(const YAML::Mark& mark, Yaml::Kind kind) {
    if (++n_values_ > max_values) fail(mark, "more than 1,000,000 values");
    Yaml created;
    created.kind = kind;
    created.file = file_;
    created.line = mark.line + 1;
    return created;
  }
  void start_member(const YAML::Mark& mark, const std::string& key) {
    Open& map = open_.back();
    if (!map.keys.insert(key).second) fail(mark, "key '" + key + "' stands twice");
    map.value.map.emplace_back(key, value(mark, Yaml::Kind::null));
    map.has_key = true;
  }
  void add(Yaml done) {
    if (open_.empty()) {
      root_ = std::move(done);
      return;
    }
    Open& into = open_.back();
    if (into.value.kind == Yaml::Kind::list) {
      into.value.list.push_back(std::move(done));
    } else if (into.has_key) {
      // A value is found where its key stands; a block of members would begin a line later.
      done.line = into.value.map.back().second.line;
      into.value.map.back().second = std::move(done);
      into.has_key = false;
    } else {
      YAML::Mark mark;
      mark.line = done.line - 1;
      fail(mark, "a key must be a plain word");
    }
  }
  void open(const YAML::Mark& mark, Yaml::Kind kind) {
    if (open_.size() >= max_depth) fail(mark, "nested deeper than 64 levels");
    open_.push_back({.value = value(mark, kind)});
  }
  void close() {
    Yaml done = std::move(open_.back().value);
    open_.pop_back();
    add(std::move(done));
  }
  // The parser has no way to be told; an exception of its own type ends it.
  [[noreturn]] static void fail(const YAML::Mark& mark, const std::string& message) {
    throw YAML::ParserException(mark, message);
  }

  std::string file_;
  Yaml root_;
  std::vector<Open> open_;  // outermost first
  size_t n_values_ = 0;
  int n_documents_ = 0;
};

}  // namespace

Yaml::Yaml() = default;
Yaml::Yaml(const Yaml&) = default;
Yaml::Yaml(Yaml&&) noexcept = default;
Yaml& Yaml::operator=(const Yaml&) = default;
Yaml& Yaml::operator=(Yaml&&) noexcept = default;
Yaml::~Yaml() = default;

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
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    Builder builder(name);
    while (parser.HandleNextDocument(builder)) {
    }
    return std::move(builder).result();
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
  // A mistyped key first: it is also why another one "is missing".
  const std::vector<std::string_view> candidates(known_.begin(), known_.end());
  for (const auto& [key, value] : node_.map) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    const std::string near = nearest_word(key, candidates);
    return value.error("unknown key '" + key + "'" +
                       (near.empty() ? std::string() : ": did you mean '" + near + "'?"));
  }
  if (!problem_.empty()) return Error{ErrorCode::invalid_input, problem_};
  return Ok{};
}

}  // namespace auscult
