// log_grep: the lines that hold given words, with their neighbours from the same node and source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/log_record.h"

namespace auscult::logs {

struct GrepOptions {
  std::vector<std::string> words;  // plain text, any of them; matches anywhere in a line
  std::string pattern;             // RE2; with words, a line matches by either
  bool ignore_case = true;
  size_t before = 5;  // lines of context
  size_t after = 5;
  int64_t begin_ns = std::numeric_limits<int64_t>::min();  // matches in [begin, end); the context
  int64_t end_ns = std::numeric_limits<int64_t>::max();    // may lie outside
  size_t max_matches = 1000;                               // then the rest is only counted
};

struct GrepLine {
  size_t index = 0;  // into the records given
  bool matched = false;
};

// Lines that follow one another in the log of one source on one node. Contexts that touch are one.
struct GrepHunk {
  std::string node_id;
  std::string source;
  std::vector<GrepLine> lines;
};

struct GrepResult {
  std::vector<GrepHunk> hunks;  // by the time of their first match
  uint64_t matches = 0;         // all of them, also those beyond max_matches
  bool truncated = false;
};

// Records may come in any order: each log is put in order of time, records of equal time in the
// order given. invalid_input: a pattern that RE2 cannot read, or neither words nor pattern.
// O(n log n).
Result<GrepResult> log_grep(std::span<const model::LogRecord> records, const GrepOptions& options);

// The lines of a file as records: attributes log.file.path and log.file.line (from 1). A time at
// the start of a line (RFC 3339, also with a blank between date and time) is its time; a line
// without one has the time of the line before it, and 0 before the first.
Result<model::LogRecords> read_log_file(const std::filesystem::path& path,
                                        const std::string& node_id, const std::string& source);

}  // namespace auscult::logs
