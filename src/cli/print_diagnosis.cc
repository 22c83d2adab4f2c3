#include "cli/print_diagnosis.h"

#include <ostream>

#include "report/printable.h"
#include "report/section.h"

namespace auscult::cli {

using report::printable;

void print_diagnosis(const diagnose::Diagnosis& diagnosis, std::ostream& out) {
  out << "incident " << diagnosis.incident_id << ": verdict " << diagnosis.verdict << '\n'
      << "noticed: " << printable(diagnosis.trigger) << '\n';
  int rank = 0;
  for (const auto& hypothesis : diagnosis.hypotheses) {
    out << '\n'
        << ++rank << ". " << hypothesis.fault << "  " << to_text(hypothesis.state) << "  "
        << report::show_ratio(hypothesis.probability) << "  "
        << printable(report::show_location(hypothesis.location)) << '\n';
    for (const auto& evidence : hypothesis.evidence) {
      const auto verdict = evidence.verdict();
      out << "   "
          << (verdict == "supports"  ? '+'
              : verdict == "refutes" ? '-'
                                     : ' ')
          << ' ' << evidence.id << ' ' << printable(evidence.finding.statement) << "  ("
          << (evidence.log_odds > 0 ? "+" : "") << report::show_number(evidence.log_odds)
          << (evidence.decisive && verdict == "refutes" ? ", decisive" : "") << ")\n";
    }
    if (hypothesis.state == diagnose::State::supported && !hypothesis.remediation.now.empty()) {
      out << "   do now: " << hypothesis.remediation.now.front() << '\n';
    }
  }
  out << "\nnone of these: " << report::show_ratio(diagnosis.unknown_probability) << '\n';
  for (const auto& missing : diagnosis.missing)
    out << "not observed: " << printable(missing) << '\n';
}

}  // namespace auscult::cli
