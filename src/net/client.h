// HttpClient: one blocking HTTP/1.1 request at a time over a kept-alive connection. Small on
// purpose: the agent carries it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "net/http.h"
#include "net/tls.h"

namespace auscult::net {

struct Url {
  bool tls = false;  // https
  std::string host;
  uint16_t port = 80;
  std::string path = "/";  // with the query, encoded
};

// "http://host:port/path" or "https://..."; the port is 80 or 443 where none stands.
Result<Url> parse_url(std::string_view text);

// One thread at a time. Reconnects when the server closed the connection.
class HttpClient {
 public:
  // `base` is scheme, host and port. A longer answer is an error before it is read to its end.
  // `tls` is for https; none: a client of no certificate, which trusts whom this host trusts.
  static Result<HttpClient> create(std::string_view base,
                                   size_t max_answer_bytes = size_t{64} << 20U,
                                   TlsContext tls = {});
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;
  ~HttpClient();

  // Any status is a Response. `unavailable`: no connection, time-out, broken or too long an answer.
  // `timeout` is a deadline for the whole request, except that looking up a host name (not an
  // address) takes as long as the resolver takes, and cancel() waits for it too: resolv.conf bounds
  // that, by default 5 s for each try and name server. A kept connection that the server closed
  // before any byte of the answer is replaced once, so a request may reach it twice.
  Result<Response> request(const std::string& method, const std::string& target,
                           const Headers& headers, const std::string& body,
                           std::chrono::milliseconds timeout);

  // As request(), but the body of a 200 goes to `sink` as it comes, however long it is; the body of
  // another answer is bounded as ever. What the sink says ends the request and is returned.
  using BodySink = std::function<Result<>(std::string_view content_type, std::string_view bytes)>;
  Result<Response> request_streamed(const std::string& method, const std::string& target,
                                    const Headers& headers, const std::string& body,
                                    std::chrono::milliseconds timeout, const BodySink& sink);

  // Any thread. Ends the request in flight with `unavailable`, or the next one when none is:
  // whoever stops a loop of requests need not care where the loop is.
  void cancel();

 private:
  struct Impl;
  explicit HttpClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace auscult::net
