#include "logs/grep.h"

#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"

namespace auscult::logs {
namespace {

constexpr size_t max_file_bytes = size_t{1} << 30U;

Result<std::unique_ptr<RE2>> compile(const GrepOptions& options) {
  std::string pattern;
  for (const auto& word : options.words) {
    if (word.empty()) continue;
    pattern += (pattern.empty() ? "" : "|") + RE2::QuoteMeta(word);
  }
  if (!options.pattern.empty())
    pattern += (pattern.empty() ? "(?:" : "|(?:") + options.pattern + ")";
  if (pattern.empty())
    return Error{ErrorCode::invalid_input, "neither words nor a pattern to find"};
  RE2::Options how;
  how.set_case_sensitive(!options.ignore_case);
  how.set_log_errors(false);
  auto compiled = std::make_unique<RE2>(pattern, how);
  if (!compiled->ok()) {
    return Error{ErrorCode::invalid_input,
                 "pattern '" + options.pattern + "': " + compiled->error()};
  }
  return compiled;
}

// Indices of one log's records, in order of time.
using Log = std::vector<size_t>;

struct Placed {
  int64_t time_ns = 0;
  GrepHunk hunk;
};

void add_hunks(const Log& log, const std::vector<bool>& matched,
               std::span<const model::LogRecord> records, const GrepOptions& options,
               std::vector<Placed>& placed) {
  size_t shown_until = 0;  // lines before this one are in a hunk already
  bool open = false;       // there is a hunk of this log
  for (size_t i = 0; i < log.size(); ++i) {
    if (!matched[log[i]]) continue;
    const size_t begin = i - std::min(options.before, i);
    const size_t end = std::min(log.size(), i + 1 + options.after);
    const auto& first = records[log[i]];
    if (!open || begin > shown_until) {
      open = true;
      placed.push_back({.time_ns = first.timestamp_ns,
                        .hunk = {.node_id = first.tags.node_id, .source = first.source}});
      shown_until = begin;
    }
    for (size_t line = std::max(begin, shown_until); line < end; ++line) {
      placed.back().hunk.lines.push_back({.index = log[line], .matched = matched[log[line]]});
    }
    shown_until = end;
  }
}

// "2026-12-01T09:30:00.1Z ..." or "2026-12-01 09:30:00,123 ...".
std::optional<int64_t> leading_time(std::string_view line) {
  constexpr size_t date_bytes = 10;
  if (line.size() < 19 || line[4] != '-' || line[7] != '-' || line[13] != ':') return {};
  const auto rest = line.substr(date_bytes + 1);
  const auto end = rest.find_first_of(" \t]|");
  std::string text =
      std::string(line.substr(0, date_bytes)) + "T" + std::string(rest.substr(0, end));
  std::replace(text.begin(), text.end(), ',', '.');
  // A time without an offset is taken as UTC: there is nothing to tell us better.
  const bool has_offset =
      text.back() == 'Z' || text.find_first_of("+-", date_bytes + 1) != std::string::npos;
  const auto time = parse_time(has_offset ? text : text + "Z");
  if (!time) return {};
  return *time;
}

}  // namespace

Result<GrepResult> log_grep(std::span<const model::LogRecord> records, const GrepOptions& options) {
  const auto pattern = TRY(compile(options));
  GrepResult result;
  std::map<std::pair<std::string_view, std::string_view>, Log> logs;
  for (size_t i = 0; i < records.size(); ++i) {
    logs[{records[i].tags.node_id, records[i].source}].push_back(i);
  }
  std::vector<bool> matched(records.size());
  for (auto& [key, log] : logs) {
    std::stable_sort(log.begin(), log.end(), [&](size_t a, size_t b) {
      return records[a].timestamp_ns < records[b].timestamp_ns;
    });
    for (const size_t index : log) {
      const auto& record = records[index];
      if (record.timestamp_ns < options.begin_ns || record.timestamp_ns >= options.end_ns) continue;
      if (!RE2::PartialMatch(record.body, *pattern)) continue;
      if (result.matches++ < options.max_matches) matched[index] = true;
    }
  }
  result.truncated = result.matches > options.max_matches;
  std::vector<Placed> placed;
  for (const auto& [key, log] : logs) add_hunks(log, matched, records, options, placed);
  std::stable_sort(placed.begin(), placed.end(),
                   [](const Placed& a, const Placed& b) { return a.time_ns < b.time_ns; });
  for (auto& each : placed) result.hunks.push_back(std::move(each.hunk));
  return result;
}

Result<model::LogRecords> read_log_file(const std::filesystem::path& path,
                                        const std::string& node_id, const std::string& source) {
  const std::string text = TRY(read_file(path, max_file_bytes));
  model::LogRecords records;
  int64_t time_ns = 0;
  int64_t line_number = 0;
  for (auto line : split(text, '\n')) {
    ++line_number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    time_ns = leading_time(line).value_or(time_ns);
    records.push_back({.timestamp_ns = time_ns,
                       .observed_ns = time_ns,
                       .source = source,
                       .body = valid_utf8(line),
                       .attributes = {{"log.file.line", std::to_string(line_number)},
                                      {"log.file.path", path.string()}},
                       .tags = {.node_id = node_id}});
  }
  if (!records.empty() && records.back().body.empty()) records.pop_back();
  return records;
}

}  // namespace auscult::logs
