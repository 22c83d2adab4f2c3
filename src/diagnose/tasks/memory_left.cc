// memory_left: how much memory could the node still give out when the snapshot was taken?
#include "base/text.h"
#include "diagnose/action_record.h"
#include "diagnose/task.h"

namespace auscult::diagnose {
namespace {

Result<Finding> run(const TaskParameters& parameters, const TaskContext& context) {
  const double max_share = TRY(number_parameter(parameters, "max_share"));
  const double max_bytes = TRY(number_parameter(parameters, "max_bytes"));
  const auto record =
      TRY(read_action(context.store, parameters.at("incident"), parameters.at("action")));
  Finding finding;
  finding.unit = "1";
  finding.source = {
      .kind = "action", .query = "process_snapshot " + parameters.at("action"), .file = {}};
  const double total = record.result ? (*record.result)["mem_total_bytes"].number_or(0) : 0;
  if (total <= 0) {
    finding.statement = "the memory that is left was not observed: " + record.why;
    return finding;
  }
  const double available = (*record.result)["mem_available_bytes"].number_or(0);
  finding.value = available / total;
  const bool short_of = finding.value <= max_share || available <= max_bytes;
  finding.answer = short_of ? Answer::found : Answer::clear;
  finding.detail = Json(Json::Object{{"available_bytes", available}, {"total_bytes", total}});
  finding.statement = format_bytes(available) + " of " + format_bytes(total) +
                      " memory were available during the experiment (" +
                      format_number(finding.value * 100, 3) + "%)";
  return finding;
}

}  // namespace

Task memory_left() {
  return {.summary = "how much memory could the node still give out during the experiment?",
          .parameters = {{"incident", "incident id", "", true},
                         {"action", "id of the process_snapshot", "", true},
                         {"max_share", "share of the total at which it is short", "0.15"},
                         {"max_bytes", "bytes at which it is short", "2684354560"}},
          .run = run};
}

}  // namespace auscult::diagnose
