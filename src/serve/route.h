// Route: one address of the API.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/named.h"
#include "base/result.h"
#include "net/http.h"
#include "net/server.h"
#include "serve/access.h"
#include "serve/context.h"

namespace auscult::serve {

using PathParameters = std::map<std::string, std::string>;

// The threads that run an endpoint's `answer`; see Lanes.
enum class Lane : uint8_t {
  io,      // the I/O thread: looks at nothing but the request
  prompt,  // waits for nobody but the store; others wait for it
  normal,  // reads the store as long as that takes
  slow     // minutes: it waits for agents
};

// A path segment in braces matches anything: "/api/auscult/v1/incidents/{id}".
struct Endpoint {
  std::string_view method;
  std::string_view path;
  Role role = Role::unstated;  // what the caller's token must have; never left out
  std::string_view summary;
  Lane lane = Lane::normal;
  // Exactly one of the two. `answer` runs on a thread of its lane; `later` runs on an I/O thread,
  // must not block, and keeps the reply.
  Result<net::Response> (*answer)(const net::Request& request, const PathParameters& path,
                                  Context& context) = nullptr;
  void (*later)(net::Request request, const PathParameters& path, Context& context,
                net::Reply reply) = nullptr;
};

// One file of routes/: the endpoints of one noun.
struct Route {
  std::vector<Endpoint> endpoints;
};

std::vector<Named<Route>> all_routes();

struct Match {
  const Endpoint* endpoint = nullptr;  // null: nothing there
  PathParameters path;
  bool other_method = false;  // the path exists, for another method
};

// The endpoints of all routes, built once.
class Router {
 public:
  Router();
  // HEAD matches what GET does, except a long poll.
  Match match(std::string_view method, std::string_view path) const;
  const std::vector<Endpoint>& endpoints() const { return endpoints_; }

 private:
  std::vector<Endpoint> endpoints_;
};

// {"error": "..."} with the status that the code stands for.
net::Response error_response(const Error& error);

// The body as a JSON object.
Result<Json> body_object(const net::Request& request);

// Who did it, for an event: the name of the caller's token, else what the body says of itself, else
// `fallback`.
std::string actor_of(const net::Request& request, const Json& body, std::string_view fallback);

// The answer to who may not: 401 or 403.
net::Response denial(const Admission& admission);

// Answers on the caller's thread: what commands with --data use.
net::Response answer_now(const Router& router, const net::Request& request, Context& context);

}  // namespace auscult::serve
