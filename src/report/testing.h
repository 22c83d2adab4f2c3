// A diagnosis written by hand, and golden files: what the tests of this module share.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/file.h"
#include "report/report.h"
#include "report/section.h"

namespace auscult::report {

inline constexpr int64_t example_start_ns = 1'764'581'400 * ns_per_s;  // 2025-12-01T09:30:00Z

// A disk that another process saturates: supported, one rival refuted, one left open.
inline diagnose::Diagnosis example() {
  using diagnose::Answer;
  using diagnose::Evidence;
  using diagnose::Provenance;
  using diagnose::State;
  const double none = std::numeric_limits<double>::quiet_NaN();
  const Evidence pressure{
      .id = "e1",
      .task = "check_metric",
      .question = "io_pressure",
      .finding = {.answer = Answer::found,
                  .statement = "tasks waited for I/O 82% of the time, 1.2% is usual",
                  .value = 0.82,
                  .unit = "1",
                  .baseline = 0.012,
                  .statistic = diagnose::Statistic{.name = "ks", .value = 1, .p = 0.00021},
                  .source = {.kind = "promql",
                             .query = "rate(node_pressure_io_waiting_seconds_total[1m])"}},
      .log_odds = 1.5,
      .could_fail = true,
      .provenance = Provenance::guess,
      .because = "a saturated disk makes tasks wait",
      .rerun = "auscult diagnose --task check_metric --param signal=io_pressure_ratio"};
  const Evidence benchmark{
      .id = "e2",
      .task = "check_benchmark_drift",
      .question = "storage",
      .action = "a1",
      .finding = {.answer = Answer::found,
                  .statement = "read_iops fell from 93011 to 2100",
                  .value = 2100,
                  .unit = "1/s",
                  .baseline = 93011,
                  .statistic =
                      diagnose::Statistic{.name = "permutation", .value = -90911, .p = none},
                  .source = {.kind = "benchmark", .query = "storage read_iops"}},
      .log_odds = 2.3,
      .could_fail = true,
      .provenance = Provenance::measured,
      .because = "in 40 demos",
      .rerun = "auscult diagnose --task check_benchmark_drift --param benchmark=storage"};
  const Evidence kernel{.id = "e3",
                        .task = "log_grep",
                        .question = "io_errors",
                        .finding = {.answer = Answer::clear,
                                    .statement = "no I/O error in the kernel's log",
                                    .value = none,
                                    .source = {.kind = "log", .query = "I/O error"}},
                        .log_odds = -4,
                        .decisive = true,
                        .could_fail = true,
                        .provenance = Provenance::published,
                        .because = "a failing disk reports errors",
                        .rerun = "auscult diagnose --task log_grep --param pattern='I/O error'"};
  const diagnose::ActionTaken action{.id = "a1",
                                     .action = "targeted_benchmark",
                                     .target = "node7",
                                     .status = "done",
                                     .params = Json(Json::Object{{"benchmark", "storage"}}),
                                     .seconds = 8.25};
  return {
      .verdict = "fault",
      .incident_id = "inc-20251201T093004-node7",
      .trigger = "tasks wait for I/O on node7: 82%, baseline 1.2%, threshold 50%",
      .trigger_name = "io_pressure",
      .started_at_ns = example_start_ns,
      .opened_at_ns = example_start_ns + 4 * ns_per_s,
      .concluded_at_ns = example_start_ns + 31 * ns_per_s,
      .nodes = {"node7"},
      .hypotheses =
          {{.fault = "storage_contention",
            .layer = "storage",
            .title = "another process saturates the disk",
            .probability = 0.982,
            .state = State::supported,
            .location =
                {.node_id = "node7", .device = "nvme0n1", .pid = 4711, .command = "fio --name=x"},
            .evidence = {pressure, benchmark},
            .actions = {action},
            .transitions = {{.from = State::proposed, .to = State::testing},
                            {.from = State::testing,
                             .to = State::supported,
                             .evidence = {"e1", "e2"},
                             .why = "what could have failed did not"}},
            .remediation = {.now = {"Stop the process, or limit it: ionice -c3 -p 4711."},
                            .soon = {"Give it a disk of its own."},
                            .lasting = {"Set io.max for batch jobs."}}},
           {.fault = "memory_reclaim",
            .title = "memory is short, the kernel writes pages out",
            .probability = 0.01,
            .location = {.node_id = "node7"}},
           {.fault = "disk_failing",
            .title = "the disk itself fails",
            .probability = 0.001,
            .state = State::refuted,
            .location = {.node_id = "node7", .device = "nvme0n1"},
            .evidence = {kernel},
            .actions = {action},
            .transitions = {{.from = State::testing, .to = State::refuted, .evidence = {"e3"}}}}},
      .missing = {"SMART attributes of nvme0n1"},
      .unknown_probability = 0.007};
}

// A diagnosis in which every text that comes from data is `text`.
inline diagnose::Diagnosis hostile(const std::string& text) {
  auto diagnosis = example();
  diagnosis.trigger = text;
  diagnosis.missing = {text};
  for (auto& hypothesis : diagnosis.hypotheses) {
    hypothesis.location.node_id = text;
    hypothesis.location.device = text;
    hypothesis.location.command = text;
    for (auto& evidence : hypothesis.evidence) {
      evidence.finding.statement = text;
      evidence.finding.unit = text;
      evidence.finding.source.query = text;
      evidence.because = text;
      evidence.rerun = text;
    }
    for (auto& action : hypothesis.actions) {
      action.message = text;
      action.params = Json(Json::Object{{"file", text}});
    }
  }
  return diagnosis;
}

// One section alone, as Markdown; empty when it has nothing to say.
inline std::string section_text(const Section& section, const diagnose::Diagnosis& diagnosis) {
  auto blocks = section.render(diagnosis);
  if (blocks.empty()) return {};
  return to_markdown({.title = "T", .chapters = {{std::string(section.title), std::move(blocks)}}});
}

// Compares with testdata/<name>; UPDATE_GOLDEN=1 writes it instead.
void expect_golden(const std::string& name, const std::string& text);  // in report_test.cc

}  // namespace auscult::report
