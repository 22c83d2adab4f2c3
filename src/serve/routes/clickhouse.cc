// ClickHouse's HTTP interface over the store, for its own clients and Grafana: reading only.
#include <atomic>

#include "base/hash.h"
#include "serve/clickhouse_http.h"
#include "serve/route.h"

namespace auscult::serve {
namespace {

// In the form of a UUID, as ClickHouse makes them.
std::string new_query_id(const net::Request& request, const Clock& clock) {
  static std::atomic<uint64_t> n_queries = 0;
  std::string id = hash128_hex(request.remote + " " + std::to_string(clock.now_ns()) + " " +
                               std::to_string(++n_queries));
  for (const size_t at : {20U, 16U, 12U, 8U}) id.insert(at, "-");
  return id;
}

Result<net::Response> ask(const net::Request& request, const PathParameters&, Context& context) {
  if (request.method != "POST" && request.parameter("query").empty()) {
    return net::text_response(200, "Ok.\n");
  }
  const std::string given_id(request.parameter("query_id"));
  const std::string id = given_id.empty() ? new_query_id(request, context.clock) : given_id;
  auto parsed = parse_clickhouse(request);
  if (!parsed) return clickhouse_exception(parsed.error().message, id);
  parsed->query_id = id;
  auto answer = context.store.engine().query_user_raw(parsed->query);
  if (!answer) return clickhouse_exception(answer.error().message, id);
  return clickhouse_answer(*std::move(answer), *parsed);
}

Result<net::Response> ping(const net::Request&, const PathParameters&, Context&) {
  return net::text_response(200, "Ok.\n");
}

constexpr std::string_view summary =
    "ClickHouse's HTTP interface, reading only: query, param_<name>, default_format, settings";

}  // namespace

Route clickhouse() {
  return {.endpoints = {
              {.method = "GET",
               .path = "/clickhouse",
               .role = Role::read,
               .summary = summary,
               .answer = ask},
              {.method = "POST",
               .path = "/clickhouse",
               .role = Role::read,
               .summary = summary,
               .answer = ask},
              {.method = "GET",
               .path = "/clickhouse/",
               .role = Role::read,
               .summary = summary,
               .answer = ask},
              {.method = "POST",
               .path = "/clickhouse/",
               .role = Role::read,
               .summary = summary,
               .answer = ask},
              {.method = "GET",
               .path = "/clickhouse/ping",
               .role = Role::read,
               .summary = "ClickHouse's health check",
               .lane = Lane::io,
               .answer = ping},
          }};
}

}  // namespace auscult::serve
