// Access: which bearer token may do what. Only hashes of tokens are kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/yaml.h"

namespace auscult::serve {

// What an endpoint asks of its caller. A token has one of the last four: operate includes read,
// admin includes everything.
enum class Role : uint8_t {
  unstated,  // an endpoint that forgot to say: admin only
  open,      // anybody
  ingest,    // deliver data; an agent's own business
  read,      // look at what is stored
  operate,   // diagnose, close, change
  admin
};

std::string_view to_text(Role role);

// Of a token; nothing for every other word.
std::optional<Role> token_role(std::string_view text);

struct Token {
  std::string name;  // who: becomes the actor of events
  Role role = Role::read;
  std::string sha256;  // of the token's text, 64 hexadecimal digits
};

inline constexpr size_t max_tokens = 10'000;
inline constexpr size_t max_token_bytes = 4096;  // as a client sends it

// A list of {name, role, sha256}. invalid_input "file:line: ...": a wrong or missing member, a name
// that is there twice, a list without a token, or with more than max_tokens.
Result<std::vector<Token>> read_tokens(const Yaml& list);

struct NewToken {
  std::string text;  // for the client; 256 random bits behind "auscult_"
  std::string line;  // for the file: "- {name: ..., role: ..., sha256: ...}"
};
// invalid_input: a name that a file could not hold.
Result<NewToken> make_token(const std::string& name, Role role);

struct Admission {
  bool admitted = true;
  bool known = false;   // the token is one of ours, its role is not enough (403, not 401)
  std::string caller;   // the token's name; empty where none was needed
  std::string message;  // why not: what is missing, nothing about tokens that exist
};

// Does not change: a new list is a new object. Thread-safe.
class Access {
 public:
  Access() = default;  // asks for nothing
  explicit Access(std::vector<Token> tokens);

  bool asks() const { return !tokens_.empty(); }

  // `authorization`: the header or metadata of that name, "Bearer TOKEN". Takes the same time
  // whatever token is given.
  Admission admit(std::string_view authorization, Role needed) const;

 private:
  std::vector<Token> tokens_;
};

}  // namespace auscult::serve
