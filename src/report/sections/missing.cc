// What was not observed and would decide.
#include "report/section.h"

namespace auscult::report {
namespace {

std::vector<Block> render(const diagnose::Diagnosis& diagnosis) {
  if (diagnosis.missing.empty()) return {};
  return {list(diagnosis.missing)};
}

}  // namespace

Section missing() { return {.position = 70, .title = "Not observed", .render = render}; }

}  // namespace auscult::report
