// HttpEndpoints: requests to the servers of a store, whichever answers.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/client.h"
#include "store/store_url.h"

namespace auscult::store {

// Thread-safe. A connection serves one request at a time and is kept for the next.
class HttpEndpoints {
 public:
  struct Request {
    std::string target;  // path and query
    net::Headers headers;
    std::string body;
    std::chrono::milliseconds timeout;
    // It may reach a server, or two of them, more than once: a read, or an insert with a token.
    // Another is sent once, to a server that has just answered a ping.
    bool repeatable = true;
  };

  HttpEndpoints(StoreUrl url, size_t max_answer_bytes)
      : url_(std::move(url)), max_answer_bytes_(max_answer_bytes) {}

  // Any status is an answer. Begins with the endpoint that answered last; `unavailable` names every
  // endpoint when none answers.
  Result<net::Response> post(const Request& request);

 private:
  struct Connection {
    size_t endpoint;
    net::HttpClient client;
  };

  Result<net::Response> post_once(const Request& request);
  Result<net::HttpClient> connect(size_t endpoint) const;
  Result<Connection> take(size_t endpoint);
  void give_back(Connection connection);

  const StoreUrl url_;
  const size_t max_answer_bytes_;
  std::mutex mutex_;
  size_t current_ = 0;
  std::vector<Connection> free_;
};

}  // namespace auscult::store
