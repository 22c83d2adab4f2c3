// How fast faults are located: the product measures itself.
#include <algorithm>

#include "serve/incident.h"
#include "serve/route.h"
#include "stats/quantile.h"

namespace auscult::serve {
namespace {

Json summary(const std::vector<double>& seconds) {
  Json json{Json::Object{}};
  json.set("n", static_cast<int64_t>(seconds.size()));
  const auto middle = stats::median(seconds);
  const auto worst = stats::quantile(seconds, 0.95);
  json.set("median_seconds", middle ? Json(*middle) : Json());
  json.set("p95_seconds", worst ? Json(*worst) : Json());
  return json;
}

// The diagnosis names a fault, and no person said afterwards that it was another.
bool is_located(const Incident& incident) {
  if (incident.diagnosis->verdict != "fault") return false;
  const std::string judged = incident.closed["verdict"].string_or("");
  const auto& hypotheses = incident.diagnosis->hypotheses;
  return judged.empty() ||
         std::any_of(hypotheses.begin(), hypotheses.end(), [&](const auto& hypothesis) {
           return hypothesis.state == diagnose::State::supported && hypothesis.fault == judged;
         });
}

Result<net::Response> measure(const net::Request&, const PathParameters&, Context& context) {
  std::vector<double> to_notice;
  std::vector<double> to_locate;
  std::vector<double> to_repair;
  int64_t incidents = 0;
  int64_t located = 0;
  for (const auto& id : TRY(context.store.incident_ids())) {
    const auto incident = TRY(read_incident(context.store, id));
    ++incidents;
    // Where a person asked, nothing fell ill at a time that could be measured from.
    if (incident.trigger_name == "asked") continue;
    if (!incident.diagnosis || incident.diagnosis->started_at_ns == 0) continue;
    const auto& diagnosis = *incident.diagnosis;
    const auto since_start = [&](int64_t time_ns) {
      return static_cast<double>(time_ns - diagnosis.started_at_ns) / 1e9;
    };
    to_notice.push_back(since_start(diagnosis.opened_at_ns));
    if (is_located(incident)) {
      ++located;
      to_locate.push_back(since_start(diagnosis.concluded_at_ns));
    }
    if (incident.status == "closed") {
      const auto closed_at = parse_time(incident.closed["at"].string_or(""));
      if (closed_at) to_repair.push_back(since_start(*closed_at));
    }
  }
  return net::json_response(200, Json(Json::Object{{"incidents", incidents},
                                                   {"located", located},
                                                   {"time_to_notice", summary(to_notice)},
                                                   {"time_to_locate", summary(to_locate)},
                                                   {"time_to_repair", summary(to_repair)}})
                                     .dump());
}

}  // namespace

Route stats() {
  return {.endpoints = {{.method = "GET",
                         .path = "/api/auscult/v1/stats",
                         .role = Role::read,
                         .summary = "time to notice, to locate, to repair",
                         .answer = measure}}};
}

}  // namespace auscult::serve
