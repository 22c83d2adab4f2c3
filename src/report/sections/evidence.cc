// Every piece of evidence: its figure, its test, what it weighs, and the command that gives it
// again.
#include <cmath>

#include "report/section.h"

namespace auscult::report {
namespace {

using diagnose::Evidence;

std::string signed_number(double value) { return (value > 0 ? "+" : "") + show_number(value); }

std::string test_text(const Evidence& evidence) {
  const auto& statistic = evidence.finding.statistic;
  if (!statistic) return "compared with its bound";
  std::string text = statistic->name + " " + show_number(statistic->value);
  if (std::isfinite(statistic->p)) text += ", p " + show_number(statistic->p);
  return text;
}

std::vector<Block> render(const diagnose::Diagnosis& diagnosis) {
  std::vector<Block> blocks;
  for (const auto& hypothesis : diagnosis.hypotheses) {
    blocks.push_back(heading(hypothesis.fault + ": " + std::string(to_text(hypothesis.state))));
    for (const auto& evidence : hypothesis.evidence) {
      const auto& finding = evidence.finding;
      blocks.push_back(paragraph(evidence.id + " " + std::string(evidence.verdict()) +
                                 (evidence.decisive ? " decisively" : "") + ": " +
                                 finding.statement + "."));
      blocks.push_back(
          list({"figure: " + show_value(finding.value, finding.unit) +
                    (finding.baseline ? ", baseline " + show_value(*finding.baseline, finding.unit)
                                      : ""),
                "test: " + test_text(evidence),
                "weight: " + signed_number(evidence.log_odds) + " log-odds (" +
                    std::string(to_text(evidence.provenance)) +
                    (evidence.because.empty() ? "" : ": " + evidence.because) + ")",
                "source: " + finding.source.kind + ": " + finding.source.query}));
      blocks.push_back(code(evidence.rerun));
    }
  }
  return blocks;
}

}  // namespace

Section evidence() { return {.position = 30, .title = "Evidence", .render = render}; }

}  // namespace auscult::report
