#include "net/http.h"

#include <algorithm>

namespace auscult::net {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

Response typed(int status, std::string_view type, std::string body) {
  return {
      .status = status, .headers = {{"Content-Type", std::string(type)}}, .body = std::move(body)};
}

}  // namespace

std::string_view header(const Headers& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (same_name(key, name)) return value;
  }
  return {};
}

Response json_response(int status, std::string json_text) {
  return typed(status, "application/json", std::move(json_text));
}

Response text_response(int status, std::string text) {
  return typed(status, "text/plain; charset=utf-8", std::move(text));
}

std::string url_encode(std::string_view text) {
  static constexpr char hex[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '~';
    if (plain) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += '%';
      encoded += hex[byte >> 4U];
      encoded += hex[byte & 15U];
    }
  }
  return encoded;
}

}  // namespace auscult::net
