// Patterns: what looks like a secret, catalog/redaction.yaml.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace auscult::redact {

struct Pattern {
  std::string kind;
  std::string find;                 // for Hyperscan and RE2
  std::string example;              // contains a secret,
  std::string redacted;             // and this is what must be left of it
  std::vector<std::string> leaves;  // look-alikes
};

// invalid_input "name:line: ...": a key that is missing or unknown, no pattern at all.
Result<std::vector<Pattern>> read_patterns(std::string_view text, const std::string& name);

// Those of the program.
const std::vector<Pattern>& patterns();

}  // namespace auscult::redact
