#include "cli/print_diagnosis.h"

#include <ostream>

#include "base/text.h"
#include "report/section.h"

namespace auscult::cli {

void print_diagnosis(const diagnose::Diagnosis& diagnosis, std::ostream& out) {
  out << "incident " << diagnosis.incident_id << ": verdict " << diagnosis.verdict << '\n'
      << "noticed: " << diagnosis.trigger << '\n';
  int rank = 0;
  for (const auto& hypothesis : diagnosis.hypotheses) {
    out << '\n'
        << ++rank << ". " << hypothesis.fault << "  " << to_text(hypothesis.state) << "  "
        << format_number(hypothesis.probability * 100, 3) << "%  "
        << report::show_location(hypothesis.location) << '\n';
    for (const auto& evidence : hypothesis.evidence) {
      const auto verdict = evidence.verdict();
      out << "   " << (verdict == "supports" ? '+' : verdict == "refutes" ? '-' : ' ') << ' '
          << evidence.id << ' ' << evidence.finding.statement << "  ("
          << (evidence.log_odds > 0 ? "+" : "") << format_number(evidence.log_odds, 3)
          << (evidence.decisive && verdict == "refutes" ? ", decisive" : "") << ")\n";
    }
    if (hypothesis.state == diagnose::State::supported && !hypothesis.remediation.now.empty()) {
      out << "   do now: " << hypothesis.remediation.now.front() << '\n';
    }
  }
  out << "\nnone of these: " << format_number(diagnosis.unknown_probability * 100, 3) << "%\n";
  for (const auto& missing : diagnosis.missing) out << "not observed: " << missing << '\n';
}

}  // namespace auscult::cli
