// The node against its own baseline: every figure that has one.
#include <set>

#include "report/section.h"

namespace auscult::report {
namespace {

std::vector<Block> render(const diagnose::Diagnosis& diagnosis) {
  std::vector<std::vector<std::string>> rows;
  std::set<std::string> seen;
  for (const auto& hypothesis : diagnosis.hypotheses) {
    for (const auto& evidence : hypothesis.evidence) {
      const auto& finding = evidence.finding;
      if (!finding.baseline || !seen.insert(evidence.id).second) continue;
      const double baseline = *finding.baseline;
      rows.push_back({evidence.id, finding.source.query, show_value(baseline, finding.unit),
                      show_value(finding.value, finding.unit),
                      show_ratio(finding.value / baseline - 1)});
    }
  }
  if (rows.empty()) return {};
  return {table({"evidence", "what", "baseline", "now", "change"}, std::move(rows))};
}

}  // namespace

Section baseline() { return {.position = 50, .title = "Baseline comparison", .render = render}; }

}  // namespace auscult::report
