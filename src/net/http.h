// HTTP/1.1: the words that client and server share.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace auscult::net {

using Headers = std::vector<std::pair<std::string, std::string>>;

// The first header of that name (case does not matter), or empty.
std::string_view header(const Headers& headers, std::string_view name);

struct Request {
  std::string method = "GET";
  std::string path;  // decoded, without the query: "/v1/metrics"
  Headers query;     // decoded, in order
  Headers headers;
  std::string body;    // as sent: still compressed if Content-Encoding says so
  std::string remote;  // "127.0.0.1:51234"; set by the server
  std::string caller;  // the name of who asks, where somebody checked it; else empty

  std::string_view parameter(std::string_view name) const { return header(query, name); }
};

struct Response {
  int status = 200;
  Headers headers;
  std::string body;
};

Response json_response(int status, std::string json_text);
Response text_response(int status, std::string text);

// Percent-encoding for a query value.
std::string url_encode(std::string_view text);

}  // namespace auscult::net
