// What was tried out on the node, and what it cost.
#include <set>

#include "report/section.h"

namespace auscult::report {
namespace {

std::vector<Block> render(const diagnose::Diagnosis& diagnosis) {
  std::vector<std::vector<std::string>> rows;
  std::set<std::string> seen;
  for (const auto& hypothesis : diagnosis.hypotheses) {
    for (const auto& action : hypothesis.actions) {
      if (!seen.insert(action.id).second) continue;
      rows.push_back({action.id, action.action, action.target, action.params.dump(), action.status,
                      show_number(action.seconds) + " s", action.message});
    }
  }
  if (rows.empty()) return {paragraph("No experiment was made.")};
  return {table({"id", "action", "target", "parameters", "status", "took", "message"},
                std::move(rows))};
}

}  // namespace

Section experiments() { return {.position = 40, .title = "Experiments", .render = render}; }

}  // namespace auscult::report
