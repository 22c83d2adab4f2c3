#include "serve/incident.h"

#include <atomic>
#include <filesystem>
#include <string_view>

#include "base/clock.h"
#include "base/file.h"
#include "diagnose/action_record.h"
#include "report/report.h"

namespace auscult::serve {

namespace event = diagnose::event;

namespace {
constexpr size_t shown_time_bytes = 23;  // "2026-12-01T09:30:00.123": to the millisecond
constexpr size_t max_node_bytes = 64;    // of the node's name in an id
}  // namespace

Result<Incident> read_incident(store::Store& store, const std::string& id) {
  Incident incident{.id = id,
                    .status = "open",
                    .opened_at_ns = 0,
                    .node_id = {},
                    .trigger = {},
                    .trigger_name = {},
                    .diagnosis = {},
                    .closed = {},
                    .events = TRY(store.read_events(id))};
  if (incident.events.empty()) {
    return Error{ErrorCode::not_found, "there is no incident '" + id + "'"};
  }
  for (const auto& one : incident.events) {
    if (one.kind == event::opened) {
      incident.opened_at_ns = one.timestamp_ns;
      incident.node_id = one.detail["node_id"].string_or("");
      incident.trigger = one.detail["trigger"].string_or("");
      incident.trigger_name = one.detail["trigger_name"].string_or("");
    } else if (one.kind == event::verdict) {
      incident.diagnosis = TRY(diagnose::diagnosis_from_json(one.detail));
      incident.status = "diagnosed";
    } else if (one.kind == event::closed) {
      incident.closed = one.detail;
      incident.closed.set("by", one.actor).set("at", format_time(one.timestamp_ns));
      incident.status = "closed";
    }
  }
  return incident;
}

Json to_json(const Incident& incident, bool with_events) {
  Json json{Json::Object{}};
  json.set("id", incident.id)
      .set("status", incident.status)
      .set("opened_at", format_time(incident.opened_at_ns))
      .set("node_id", incident.node_id)
      .set("trigger", incident.trigger)
      .set("verdict", incident.diagnosis ? Json(incident.diagnosis->verdict) : Json())
      .set("fault", Json());
  if (incident.diagnosis) {
    for (const auto& hypothesis : incident.diagnosis->hypotheses) {
      if (hypothesis.state == diagnose::State::supported) json.set("fault", hypothesis.fault);
    }
  }
  json.set("closed", incident.closed);
  if (!with_events) return json;
  json.set("diagnosis", incident.diagnosis ? diagnose::to_json(*incident.diagnosis) : Json());
  Json events{Json::Array{}};
  for (const auto& one : incident.events) {
    events.push(Json(Json::Object{{"at", format_time(one.timestamp_ns)},
                                  {"kind", one.kind},
                                  {"actor", one.actor},
                                  {"detail", one.detail}}));
  }
  json.set("events", std::move(events));
  return json;
}

std::string new_incident_id(const std::string& node_id, int64_t opened_at_ns) {
  static std::atomic<uint64_t> n_ids{0};
  std::string id = "inc-";
  for (const char c : format_time(opened_at_ns).substr(0, shown_time_bytes)) {
    if (c != '-' && c != ':') id += c;
  }
  id += '-';
  for (const char c : std::string_view(node_id).substr(0, max_node_bytes)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    id += plain || c == '_' || c == '-' ? c : '_';
  }
  id += '-' + std::to_string(++n_ids);
  return id;
}

Result<std::string> write_report(const std::string& data_folder,
                                 const diagnose::Diagnosis& diagnosis) {
  const auto folder = std::filesystem::path(data_folder) / "reports" / diagnosis.incident_id;
  TRY(make_folder(folder));
  const auto markdown = folder / "diagnosis-report.md";
  TRY(write_file(markdown, report::to_markdown(report::make_report(diagnosis))));
  TRY(write_file(folder / "diagnosis-report.json", diagnose::to_json(diagnosis).dump(2) + "\n"));
  return markdown.string();
}

}  // namespace auscult::serve
