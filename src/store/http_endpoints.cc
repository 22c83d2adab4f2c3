#include "store/http_endpoints.h"

#include <algorithm>

#include "base/log.h"

namespace auscult::store {
namespace {

constexpr size_t max_kept = 16;
constexpr std::chrono::seconds ping_timeout{5};

}  // namespace

Result<net::HttpClient> HttpEndpoints::connect(size_t endpoint) const {
  return net::HttpClient::create(url_.endpoints[endpoint], max_answer_bytes_);
}

Result<HttpEndpoints::Connection> HttpEndpoints::take(size_t endpoint) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(free_.begin(), free_.end(),
                                    [&](const auto& kept) { return kept.endpoint == endpoint; });
    if (found != free_.end()) {
      Connection connection = std::move(*found);
      free_.erase(found);
      return connection;
    }
  }
  return Connection{endpoint, TRY(connect(endpoint))};
}

void HttpEndpoints::give_back(Connection connection) {
  const std::lock_guard lock(mutex_);
  if (connection.endpoint != current_) {
    log_info("store: " + url_.endpoints[connection.endpoint] + " answers");
  }
  current_ = connection.endpoint;
  if (free_.size() < max_kept) free_.push_back(std::move(connection));
}

Result<net::Response> HttpEndpoints::post(const Request& request) {
  if (!request.repeatable) return post_once(request);
  size_t first = 0;
  {
    const std::lock_guard lock(mutex_);
    first = current_;
  }
  std::string why;
  for (size_t i = 0; i < url_.endpoints.size(); ++i) {
    Connection connection = TRY(take((first + i) % url_.endpoints.size()));
    auto answer = connection.client.request("POST", request.target, request.headers, request.body,
                                            request.timeout);
    if (answer) {
      give_back(std::move(connection));
      return answer;
    }
    if (answer.error().code != ErrorCode::unavailable) return answer;
    why += (why.empty() ? "" : "; ") + url_.endpoints[connection.endpoint] + ": " +
           answer.error().message.substr(answer.error().message.rfind(": ") + 2);
  }
  return Error{ErrorCode::unavailable, "no server of the store answers: " + why};
}

// A connection of its own: a kept one that the server closed would have the request sent again.
Result<net::Response> HttpEndpoints::post_once(const Request& request) {
  std::string why;
  for (size_t i = 0; i < url_.endpoints.size(); ++i) {
    net::HttpClient client = TRY(connect(i));
    const auto ping = client.request("GET", url_.path == "/" ? "/ping" : url_.path + "/ping", {},
                                     {}, ping_timeout);
    if (!ping || ping->status != 200) {
      why += (why.empty() ? "" : ", ") + url_.endpoints[i];
      continue;
    }
    net::HttpClient fresh = TRY(connect(i));
    return fresh.request("POST", request.target, request.headers, request.body, request.timeout);
  }
  return Error{ErrorCode::unavailable, "no server of the store answers a ping: " + why};
}

}  // namespace auscult::store
