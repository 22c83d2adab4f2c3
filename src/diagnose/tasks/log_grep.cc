// log_grep: do the node's logs of the time hold these words? Lines with 5 before and 5 after.
#include <algorithm>

#include "base/text.h"
#include "diagnose/task.h"
#include "logs/grep.h"

namespace auscult::diagnose {
namespace {

constexpr int64_t history_ns = int64_t{7} * 86'400 * ns_per_s;
constexpr size_t max_lines = 20'000;  // the newest of the source; a diagnosis does not read more
constexpr size_t max_shown_hunks = 10;
constexpr size_t max_statement_bytes = 200;

Json hunks_json(const logs::GrepResult& result, const model::LogRecords& records) {
  Json hunks{Json::Array{}};
  for (size_t i = 0; i < std::min(result.hunks.size(), max_shown_hunks); ++i) {
    Json lines{Json::Array{}};
    for (const auto& line : result.hunks[i].lines) {
      const auto& record = records[line.index];
      lines.push(Json(Json::Object{{"at", format_time(record.timestamp_ns)},
                                   {"matched", line.matched},
                                   {"text", record.body}}));
    }
    hunks.push(Json(Json::Object{{"source", result.hunks[i].source}, {"lines", std::move(lines)}}));
  }
  return hunks;
}

const model::LogRecord* first_match(const logs::GrepResult& result,
                                    const model::LogRecords& records) {
  for (const auto& hunk : result.hunks) {
    for (const auto& line : hunk.lines) {
      if (line.matched) return &records[line.index];
    }
  }
  return nullptr;
}

Result<Finding> run(const TaskParameters& parameters, const TaskContext& context) {
  const auto range = TRY(range_parameters(parameters, "start", "end"));
  logs::GrepOptions options{.words = {},
                            .pattern = parameters.at("pattern"),
                            .begin_ns = range.begin_ns,
                            .end_ns = range.end_ns};
  for (const auto word : split(parameters.at("words"), ',')) {
    if (!trim(word).empty()) options.words.emplace_back(trim(word));
  }
  const auto records =
      TRY(context.store.read_logs({.node_id = parameters.at("node"),
                                   .source = parameters.at("source"),
                                   .range = {range.end_ns - history_ns, range.end_ns},
                                   .limit = max_lines}));
  const std::string source = parameters.at("source").empty() ? "any" : parameters.at("source");
  Finding finding;
  finding.unit = "lines";
  finding.source = {.kind = "log",
                    .query = parameters.at("pattern") + parameters.at("words"),
                    .start_ns = range.begin_ns,
                    .end_ns = range.end_ns,
                    .file = {}};
  const auto result = TRY(logs::log_grep(records, options));
  if (records.empty()) {
    finding.statement = "the " + source + " log of " + parameters.at("node") +
                        " was not observed: nothing of it in 7 days";
    return finding;
  }
  finding.value = static_cast<double>(result.matches);
  finding.answer = result.matches > 0 ? Answer::found : Answer::clear;
  finding.detail = Json(Json::Object{{"hunks", hunks_json(result, records)},
                                     {"lines_read", static_cast<int64_t>(records.size())}});
  const auto* match = first_match(result, records);
  if (match == nullptr) {
    finding.statement = "no line of the " + source + " log matches in that time (" +
                        std::to_string(records.size()) + " lines known)";
    return finding;
  }
  finding.source.file = model::label(match->attributes, "log.file.path");
  finding.source.line = to_int(model::label(match->attributes, "log.file.line")).value_or(0);
  finding.statement = std::to_string(result.matches) + " lines of the " + source +
                      " log match, first: " + match->body.substr(0, max_statement_bytes);
  return finding;
}

}  // namespace

Task log_grep() {
  return {.summary = "do the node's logs of the time hold these words?",
          .parameters = {{"node", "node_id", "", true},
                         {"start", "window begin, RFC 3339", "", true},
                         {"end", "window end", "", true},
                         {"source", "kernel, trainer, ...; empty: all", ""},
                         {"pattern", "RE2 expression", ""},
                         {"words", "plain words, by comma", ""}},
          .run = run};
}

}  // namespace auscult::diagnose
