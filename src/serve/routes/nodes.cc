// The nodes that report, and what the watch thinks of each. No data is a state of its own.
#include "serve/route.h"

namespace auscult::serve {
namespace {

Result<net::Response> list(const net::Request&, const PathParameters&, Context& context) {
  const int64_t now_ns = context.clock.now_ns();
  constexpr int64_t window_ns = int64_t{3600} * ns_per_s;
  Json nodes{Json::Array{}};
  for (const auto& node : TRY(context.store.node_ids({now_ns - window_ns, now_ns + 1}))) {
    Json triggers{Json::Array{}};
    if (context.watch != nullptr) {
      for (const auto& state : context.watch->state(node)) {
        triggers.push(
            Json(Json::Object{{"trigger", state.trigger},
                              {"verdict", alert::to_text(state.verdict)},
                              {"value", state.value},
                              {"threshold", state.threshold},
                              {"baseline_points", static_cast<int64_t>(state.baseline_points)}}));
      }
    }
    nodes.push(Json(Json::Object{{"node_id", node}, {"triggers", std::move(triggers)}}));
  }
  return net::json_response(200, Json(Json::Object{{"nodes", std::move(nodes)}}).dump());
}

}  // namespace

Route nodes() {
  return {.endpoints = {{.method = "GET",
                         .path = "/api/auscult/v1/nodes",
                         .role = Role::read,
                         .summary = "nodes of the last hour and their triggers",
                         .answer = list}}};
}

}  // namespace auscult::serve
