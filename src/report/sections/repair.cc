// What to do: now, soon, and so that it stays away.
#include "report/section.h"

namespace auscult::report {
namespace {

void add(std::vector<Block>& blocks, const char* when, const std::vector<std::string>& steps) {
  if (steps.empty()) return;
  blocks.push_back(paragraph(when));
  blocks.push_back(list(steps));
}

std::vector<Block> render(const diagnose::Diagnosis& diagnosis) {
  std::vector<Block> blocks;
  for (const auto& hypothesis : diagnosis.hypotheses) {
    if (hypothesis.state != diagnose::State::supported) continue;
    blocks.push_back(heading(hypothesis.fault));
    add(blocks, "Now:", hypothesis.remediation.now);
    add(blocks, "Soon:", hypothesis.remediation.soon);
    add(blocks, "Lasting:", hypothesis.remediation.lasting);
  }
  return blocks;
}

}  // namespace

Section repair() { return {.position = 60, .title = "Repair", .render = render}; }

}  // namespace auscult::report
