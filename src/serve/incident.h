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
  std::string trigger;       // in words
  std::string trigger_name;  // "io_pressure"; "asked" where a person wanted to know
  std::optional<diagnose::Diagnosis> diagnosis;
  Json closed;  // who closed it, with which verdict and words; null while open
  std::vector<store::IncidentEvent> events;
};

// not_found when there is no event of that id.
Result<Incident> read_incident(store::Store& store, const std::string& id);

Json to_json(const Incident& incident, bool with_events);

// A new id at each call, "inc-20261201T093000.123-node7-5": sortable by time and a file name on
// every system. The number at its end counts the ids of this process, the only one that writes to
// its store: two in the same millisecond are two incidents. At most 109 bytes, so that an action's
// id, which may have 128, can continue it (".a12"); of the node it shows the first 64.
std::string new_incident_id(const std::string& node_id, int64_t opened_at_ns);

// Writes <data>/reports/<id>/diagnosis-report.md and .json; returns the path of the first.
Result<std::string> write_report(const std::string& data_folder,
                                 const diagnose::Diagnosis& diagnosis);

}  // namespace auscult::serve
