#include "net/target.h"

#include <optional>

#include "base/text.h"

namespace auscult::net {
namespace {

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return {};
}

Result<std::string> decode(std::string_view text, bool plus_is_blank) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      const auto high = i + 2 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
      const auto low = i + 2 < text.size() ? hex_digit(text[i + 2]) : std::nullopt;
      if (!high || !low) {
        return Error{ErrorCode::invalid_input, "'%' without two hexadecimal digits"};
      }
      decoded += static_cast<char>(*high * 16 + *low);
      i += 2;
    }
  }
  return decoded;
}

}  // namespace

Result<Target> parse_target(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    target.remove_prefix(scheme.size());
    const auto slash = target.find_first_of("/?");
    target = slash == std::string_view::npos ? "/" : target.substr(slash);
  }
  if (target != "*" && !target.starts_with('/') && !target.starts_with('?')) {
    return Error{ErrorCode::invalid_input, "the request target must begin with '/'"};
  }
  const auto question_mark = target.find('?');
  Target result;
  result.path = TRY(decode(target.substr(0, question_mark), false), "path");
  if (result.path.empty()) result.path = "/";
  if (question_mark == std::string_view::npos) return result;
  for (const auto pair : split(target.substr(question_mark + 1), '&')) {
    if (pair.empty()) continue;
    const auto equals = pair.find('=');
    const auto value =
        equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1);
    std::string name = TRY(decode(pair.substr(0, equals), true), "query");
    result.query.emplace_back(std::move(name), TRY(decode(value, true), "query"));
  }
  return result;
}

}  // namespace auscult::net
