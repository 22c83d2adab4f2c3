#include "diagnose/action_record.h"

namespace auscult::diagnose {

Result<ActionRecord> read_action(store::Store& store, const std::string& incident_id,
                                 const std::string& action_id) {
  const auto events = TRY(store.read_events(incident_id));
  ActionRecord record{.result = {}, .why = "the action " + action_id + " was not carried out"};
  for (const auto& one : events) {
    if (one.kind != event::action_result || one.detail["id"].string_or("") != action_id) continue;
    if (one.detail["status"].string_or("") == "done") {
      record.result = one.detail["result"];
      record.why.clear();
    } else {
      record.why = "the action " + action_id + " was " + one.detail["status"].string_or("lost") +
                   ": " + one.detail["message"].string_or("");
    }
  }
  return record;
}

}  // namespace auscult::diagnose
