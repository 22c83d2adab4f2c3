// The three likeliest causes and what became of them.
#include "report/section.h"

namespace auscult::report {
namespace {

// The evidence that decided: the last transition names it.
std::string deciding_evidence(const diagnose::Hypothesis& hypothesis) {
  std::string ids;
  if (hypothesis.transitions.empty()) return ids;
  for (const auto& id : hypothesis.transitions.back().evidence) {
    ids += (ids.empty() ? "" : ", ") + id;
  }
  return ids;
}

std::vector<Block> render(const diagnose::Diagnosis& diagnosis) {
  if (diagnosis.hypotheses.empty()) return {};
  std::vector<std::vector<std::string>> rows;
  for (const auto& hypothesis : diagnosis.hypotheses) {
    rows.push_back({hypothesis.fault, std::string(to_text(hypothesis.state)),
                    show_ratio(hypothesis.probability), show_location(hypothesis.location),
                    deciding_evidence(hypothesis)});
  }
  rows.push_back({"none of these", "", show_ratio(diagnosis.unknown_probability), "", ""});
  return {table({"fault", "state", "probability", "where", "decided by"}, std::move(rows))};
}

}  // namespace

Section hypotheses() { return {.position = 20, .title = "Hypotheses", .render = render}; }

}  // namespace auscult::report
