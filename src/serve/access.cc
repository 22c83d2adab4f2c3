#include "serve/access.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace auscult::serve {
namespace {

constexpr size_t secret_bytes = 32;
constexpr size_t max_name_bytes = 100;
constexpr std::string_view token_prefix = "auscult_";

constexpr std::pair<std::string_view, Role> token_roles[] = {
    {"ingest", Role::ingest},
    {"read", Role::read},
    {"operate", Role::operate},
    {"admin", Role::admin},
};

std::string hex(const unsigned char* bytes, size_t size) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < size; ++i) {
    text += digits[bytes[i] >> 4U];
    text += digits[bytes[i] & 15U];
  }
  return text;
}

// Tokens are 256 random bits, so that a fast hash without salt is enough: nobody can try them all.
std::string sha256_hex(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  CHECK(::EVP_Digest(text.data(), text.size(), digest.data(), &size, ::EVP_sha256(), nullptr) == 1,
        "OpenSSL has SHA-256");
  return hex(digest.data(), size);
}

bool is_sha256(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

// Words that need no quotes in YAML and no care in a log line.
bool is_name(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '@';
  };
  return !text.empty() && text.size() <= max_name_bytes &&
         std::all_of(text.begin(), text.end(), plain) && text.front() != '-' && text.front() != '@';
}

constexpr std::string_view name_rule =
    "1 to 100 letters, digits, '-', '_', '.' and '@', beginning with none of '-' and '@'";

bool includes(Role role, Role needed) {
  return role == Role::admin || role == needed || (role == Role::operate && needed == Role::read);
}

// The token of "Bearer TOKEN"; the scheme's case does not matter (RFC 9110).
std::string_view bearer(std::string_view authorization) {
  constexpr std::string_view scheme = "bearer ";
  if (authorization.size() < scheme.size()) return {};
  for (size_t i = 0; i < scheme.size(); ++i) {
    const char c = authorization[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != scheme[i]) return {};
  }
  return trim(authorization.substr(scheme.size()));
}

Result<Token> read_token(const Yaml& entry) {
  if (entry.kind != Yaml::Kind::map) {
    return entry.error("a token is {name: NAME, role: ROLE, sha256: HASH}");
  }
  if (entry.find("tenant") != nullptr) {
    return entry.find("tenant")->error(
        "'tenant': tenants are not there yet; every token sees the whole store");
  }
  YamlReader reader(entry);
  Token token{.name = reader.required("name"), .role = {}, .sha256 = reader.required("sha256")};
  const auto role = reader.required("role");
  TRY(reader.finish());
  if (!is_name(token.name)) return entry.error("'name' must be " + std::string(name_rule));
  const auto known = token_role(role);
  if (!known) return entry.error("'role' must be ingest, read, operate or admin");
  token.role = *known;
  if (!is_sha256(token.sha256)) {
    return entry.error("'sha256' must be 64 lower-case hexadecimal digits (auscult token new)");
  }
  return token;
}

}  // namespace

std::string_view to_text(Role role) {
  if (role == Role::open) return "open";
  for (const auto& [text, one] : token_roles) {
    if (one == role) return text;
  }
  return "admin";
}

std::optional<Role> token_role(std::string_view text) {
  for (const auto& [word, role] : token_roles) {
    if (word == text) return role;
  }
  return {};
}

Result<std::vector<Token>> read_tokens(const Yaml& list) {
  if (list.kind != Yaml::Kind::list || list.list.empty()) {
    return list.error("expected a list of tokens, {name: NAME, role: ROLE, sha256: HASH}");
  }
  if (list.list.size() > max_tokens) {
    return list.error("more than " + std::to_string(max_tokens) + " tokens");
  }
  std::vector<Token> tokens;
  std::set<std::string> names;
  for (const Yaml& entry : list.list) {
    tokens.push_back(TRY(read_token(entry)));
    if (!names.insert(tokens.back().name).second) {
      return entry.error("there are two tokens called '" + tokens.back().name + "'");
    }
  }
  return tokens;
}

Result<NewToken> make_token(const std::string& name, Role role) {
  if (!is_name(name)) {
    return Error{ErrorCode::invalid_input, "a token's name is " + std::string(name_rule)};
  }
  std::array<unsigned char, secret_bytes> secret{};
  CHECK(::RAND_bytes(secret.data(), static_cast<int>(secret.size())) == 1,
        "the system gives random bytes");
  std::string text = std::string(token_prefix) + hex(secret.data(), secret.size());
  std::string line = "- {name: " + name + ", role: " + std::string(to_text(role)) +
                     ", sha256: " + sha256_hex(text) + "}";
  return NewToken{.text = std::move(text), .line = std::move(line)};
}

Access::Access(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

Admission Access::admit(std::string_view authorization, Role needed) const {
  if (!asks() || needed == Role::open) return {};
  if (needed == Role::unstated) needed = Role::admin;
  const std::string role(to_text(needed));
  const auto given = bearer(authorization);
  const Token* caller = nullptr;
  if (!given.empty() && given.size() <= max_token_bytes) {
    const std::string hash = sha256_hex(given);
    // Every token is looked at: the time says nothing about which one fits.
    for (const Token& token : tokens_) {
      if (::CRYPTO_memcmp(hash.data(), token.sha256.data(), hash.size()) == 0) caller = &token;
    }
  }
  if (caller == nullptr) {
    return {.admitted = false,
            .message = "this needs a token with the role " + role +
                       ": send the header 'Authorization: Bearer TOKEN'"};
  }
  if (!includes(caller->role, needed)) {
    return {.admitted = false,
            .known = true,
            .caller = caller->name,
            .message = "this needs the role " + role + "; the token '" + caller->name + "' has " +
                       std::string(to_text(caller->role))};
  }
  return {.caller = caller->name};
}

}  // namespace auscult::serve
