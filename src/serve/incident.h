// Incident: what the append-only events of one incident add up to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "diagnose/diagnosis.h"
#include "store/store.h"

namespace auscult::serve {

struct Incident {
  std::string id;
  std::string status;  // open, diagnosed, closed
  int64_t opened_at_ns = 0;
  std::string node_id;
  std::string trigger;
  std::optional<diagnose::Diagnosis> diagnosis;
  Json closed;  // who closed it, with which verdict and words; null while open
  std::vector<store::IncidentEvent> events;
};

// not_found when there is no event of that id.
Result<Incident> read_incident(store::Store& store, const std::string& id);

Json to_json(const Incident& incident, bool with_events);

// "inc-20261201T093000-node7": sortable, and a file name on every system.
std::string incident_id(const std::string& node_id, int64_t opened_at_ns);

// Writes <data>/reports/<id>/diagnosis-report.md and .json; returns the path of the first.
Result<std::string> write_report(const std::string& data_folder,
                                 const diagnose::Diagnosis& diagnosis);

}  // namespace auscult::serve
