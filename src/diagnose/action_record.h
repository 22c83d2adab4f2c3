// What an action of an incident brought back, read from the incident's events.
#pragma once

#include <optional>
#include <string>

#include "actions/action.h"
#include "base/result.h"
#include "store/store.h"

namespace auscult::diagnose {

// Kinds of incident events.
namespace event {
inline constexpr const char* opened = "opened";
inline constexpr const char* hypothesis = "hypothesis";
inline constexpr const char* action_requested = "action_requested";
inline constexpr const char* action_result = "action_result";
inline constexpr const char* verdict = "verdict";
inline constexpr const char* closed = "closed";
}  // namespace event

// The result of the action, or nothing when the node gave none that can be used (refused, failed,
// no answer): then `why` says so.
struct ActionRecord {
  std::optional<Json> result;
  std::string why;
};
Result<ActionRecord> read_action(store::Store& store, const std::string& incident_id,
                                 const std::string& action_id);

}  // namespace auscult::diagnose
