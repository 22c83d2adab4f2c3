// Yaml: a YAML document of our own, every node with its line, and a reader that knows typing
// errors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace auscult {

struct Yaml {
  enum class Kind : uint8_t { null, scalar, list, map };

  Kind kind = Kind::null;
  std::string scalar;
  std::vector<Yaml> list;
  std::vector<std::pair<std::string, Yaml>> map;  // in file order, keys unique
  std::string file;                               // for messages
  int line = 0;                                   // from 1

  // Defined where Yaml is complete: clang cannot default them here.
  Yaml();
  Yaml(const Yaml&);
  Yaml(Yaml&&) noexcept;
  Yaml& operator=(const Yaml&);
  Yaml& operator=(Yaml&&) noexcept;
  ~Yaml();

  // The value under a key, or null when absent.
  const Yaml* find(std::string_view key) const;

  // invalid_input "file:line: message".
  Error error(std::string_view message) const;
};

// `name` is the file's name in messages. Refuses aliases to keep a document as long as its text.
Result<Yaml> parse_yaml(std::string_view text, const std::string& name);
Result<Yaml> read_yaml(const std::filesystem::path& path);

// Reads the members of one map. Usage: take what you know, then finish(): a key that nobody took is
// an error "file:line: unknown key 'intervall': did you mean 'interval'?".
class YamlReader {
 public:
  // A null node reads as an empty map.
  explicit YamlReader(const Yaml& node) : node_(node) {}

  // The value, or `fallback` when the key is absent. The first wrong type is kept for finish().
  std::string text(std::string_view key, std::string_view fallback = "");
  double number(std::string_view key, double fallback);
  int64_t integer(std::string_view key, int64_t fallback);
  bool boolean(std::string_view key, bool fallback);
  std::vector<std::string> texts(std::string_view key);  // a list of scalars, or one scalar
  const Yaml* node(std::string_view key);                // any kind; null when absent

  // As text(), but the key must be there.
  std::string required(std::string_view key);

  Result<Ok> finish() const;

 private:
  const Yaml* take(std::string_view key);
  void fail(const Yaml& at, std::string_view message);

  const Yaml& node_;
  std::vector<std::string> known_;
  std::string problem_;  // the first one
};

}  // namespace auscult
