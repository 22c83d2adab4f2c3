// What was noticed, what was found, and how long it took.
#include "base/clock.h"
#include "base/text.h"
#include "report/section.h"

namespace auscult::report {
namespace {

std::string seconds_between(int64_t begin_ns, int64_t end_ns) {
  return show_number(static_cast<double>(end_ns - begin_ns) / 1e9) + " s";
}

std::vector<Block> render(const diagnose::Diagnosis& diagnosis) {
  std::vector<Block> blocks;
  blocks.push_back(paragraph("Noticed: " + diagnosis.trigger + "."));
  std::string found = "Verdict: " + diagnosis.verdict + ".";
  for (const auto& hypothesis : diagnosis.hypotheses) {
    if (hypothesis.state != diagnose::State::supported) continue;
    found += " " + hypothesis.fault + " (" + hypothesis.title + ") at " +
             show_location(hypothesis.location) + ", probability " +
             show_ratio(hypothesis.probability) + ".";
  }
  if (diagnosis.verdict == "unknown") {
    found +=
        " No cause of the catalogue explains what was seen; the probability that it is none "
        "of them is " +
        show_ratio(diagnosis.unknown_probability) + ".";
  }
  blocks.push_back(paragraph(found));
  blocks.push_back(table(
      {"when", "what"},
      {{format_time(diagnosis.started_at_ns), "the illness begins in the data"},
       {format_time(diagnosis.opened_at_ns),
        "noticed, " + seconds_between(diagnosis.started_at_ns, diagnosis.opened_at_ns) + " later"},
       {format_time(diagnosis.concluded_at_ns),
        (diagnosis.verdict == "fault" ? "located, " : "concluded, ") +
            seconds_between(diagnosis.started_at_ns, diagnosis.concluded_at_ns) +
            " after it began"}}));
  return blocks;
}

}  // namespace

Section summary() { return {.position = 10, .title = "Summary", .render = render}; }

}  // namespace auscult::report
