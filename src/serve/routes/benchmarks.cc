// Benchmark results in and out, drift, and the announcement that a benchmark is about to disturb a
// node.
#include "base/text.h"
#include "baseline/drift.h"
#include "serve/route.h"

namespace auscult::serve {
namespace {

constexpr double max_announced_seconds = 3600;
constexpr int64_t day_ns = int64_t{86'400} * ns_per_s;

Result<net::Response> store_results(const net::Request& request, const PathParameters&,
                                    Context& context) {
  const Json body = TRY(body_object(request));
  store::Batch batch;
  for (const Json& one : body["results"].array()) {
    batch.results.push_back(TRY(model::benchmark_result_from_json(one)));
  }
  if (batch.results.empty()) {
    return Error{ErrorCode::invalid_input, "'results' must be a list of benchmark results"};
  }
  batch.id = store::batch_id(request.path, request.body);
  const auto stored = static_cast<int64_t>(batch.results.size());
  TRY(context.store.write_and_wait(std::move(batch)));
  return net::json_response(200, Json(Json::Object{{"stored", stored}}).dump());
}

Result<store::ResultQuery> result_query(const net::Request& request, const Context& context) {
  const int64_t now_ns = context.clock.now_ns();
  store::ResultQuery query{.node_id = std::string(request.parameter("node")),
                           .benchmark = std::string(request.parameter("benchmark")),
                           .range = {now_ns - 7 * day_ns, now_ns + 1},
                           .trusted_only = false};
  if (const auto since = request.parameter("since"); !since.empty()) {
    query.range.begin_ns =
        now_ns - std::chrono::nanoseconds(TRY(parse_duration(since), "'since'")).count();
  }
  return query;
}

Result<net::Response> history(const net::Request& request, const PathParameters&,
                              Context& context) {
  Json list{Json::Array{}};
  const auto query = TRY(result_query(request, context));
  for (const auto& result : TRY(context.store.read_results(query))) {
    list.push(model::to_json(result));
  }
  return net::json_response(200, Json(Json::Object{{"results", std::move(list)}}).dump());
}

Result<net::Response> drift(const net::Request& request, const PathParameters&, Context& context) {
  baseline::DriftOptions options;
  if (const auto text = request.parameter("fresh_runs"); !text.empty()) {
    const auto runs = to_int(text);
    if (!runs || *runs < 1) {
      return Error{ErrorCode::invalid_input, "'fresh_runs' must be a whole number from 1 on"};
    }
    options.fresh_runs = static_cast<size_t>(*runs);
  }
  if (const auto text = request.parameter("min_effect"); !text.empty()) {
    const auto effect = to_double(text);
    if (!effect || !(*effect >= 0)) {
      return Error{ErrorCode::invalid_input, "'min_effect' must be a share, as 0.1"};
    }
    options.min_effect = *effect;
  }
  const auto query = TRY(result_query(request, context));
  const auto results = TRY(context.store.read_results(query));
  Json list{Json::Array{}};
  for (const auto& one : baseline::find_drift(results, options, context.clock.now_ns())) {
    list.push(baseline::to_json(one));
  }
  return net::json_response(200, Json(Json::Object{{"drift", std::move(list)}}).dump());
}

// Answers with the begin, which end() takes to say that it was over before the announced time.
Result<net::Response> begin(const net::Request& request, const PathParameters&, Context& context) {
  const Json body = TRY(body_object(request));
  const std::string node = body["node_id"].string_or("");
  const double seconds = body["seconds"].number_or(-1);
  if (node.empty() || !(seconds >= 0 && seconds <= max_announced_seconds)) {
    return Error{ErrorCode::invalid_input, "send {\"node_id\": ..., \"seconds\": 0 to 3600}"};
  }
  const int64_t begin_ns = context.clock.now_ns();
  if (context.watch != nullptr) {
    context.watch->quiet(node, {begin_ns, begin_ns + static_cast<int64_t>(seconds * 1e9)});
  }
  return net::json_response(200, Json(Json::Object{{"begin_ns", begin_ns}}).dump());
}

Result<net::Response> end(const net::Request& request, const PathParameters&, Context& context) {
  const Json body = TRY(body_object(request));
  const std::string node = body["node_id"].string_or("");
  const int64_t begin_ns = body["begin_ns"].int_or(0);
  if (node.empty() || begin_ns <= 0) {
    return Error{ErrorCode::invalid_input, "send {\"node_id\": ..., \"begin_ns\": as answered}"};
  }
  if (context.watch != nullptr) {
    context.watch->quiet(node, {begin_ns, context.clock.now_ns()});
  }
  return net::json_response(200, "{}");
}

}  // namespace

Route benchmarks() {
  return {.endpoints = {{.method = "POST",
                         .path = "/api/auscult/v1/benchmarks/results",
                         .role = Role::operate,
                         .summary = "store results",
                         .answer = store_results},
                        {.method = "GET",
                         .path = "/api/auscult/v1/benchmarks/results",
                         .role = Role::read,
                         .summary = "results by node, benchmark, since",
                         .answer = history},
                        {.method = "GET",
                         .path = "/api/auscult/v1/benchmarks/drift",
                         .role = Role::read,
                         .summary = "drift of the newest runs against the last 7 days",
                         .answer = drift},
                        {.method = "POST",
                         .path = "/api/auscult/v1/benchmarks/begin",
                         .role = Role::operate,
                         .summary = "a benchmark is about to disturb a node",
                         .answer = begin},
                        {.method = "POST",
                         .path = "/api/auscult/v1/benchmarks/end",
                         .role = Role::operate,
                         .summary = "and is over",
                         .answer = end}}};
}

}  // namespace auscult::serve
