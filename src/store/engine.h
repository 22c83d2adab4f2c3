// Engine: where ClickHouse SQL runs. Embedded (libchdb) today; a cluster over HTTP has the same
// face.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace auscult::store {

// SQL that was written in the source: building one from run-time text does not compile.
class Sql {
 public:
  consteval Sql(const char* literal) : text_(literal) {}  // NOLINT(google-explicit-constructor)
  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

using Parameters = std::map<std::string, std::string>;  // placeholder name -> value

struct Query {
  Sql sql;  // ClickHouse SQL with {name:Type} placeholders
  Parameters parameters;
};

// A result. Cells are text as ClickHouse's TabSeparated prints them, unescaped; NULL is \N, and
// arrays, maps and tuples keep the quotes and backslashes of their texts: ['it\'s'].
struct Table {
  std::vector<std::string> names;
  std::vector<std::string> types;
  std::vector<std::vector<std::string>> rows;  // rows[row][column]
};

// A statement that a client of ClickHouse sent.
struct UserQuery {
  std::string sql;        // with {name:Type} placeholders, with or without FORMAT
  Parameters parameters;  // values as a cell of TabSeparated has them: \t for a tab
  Parameters settings;    // how it prints, limits below the engine's own
  std::string format;     // where the statement does not say
};

struct UserAnswer {
  std::string body;    // in `format`, at most 256 MiB
  std::string format;  // the one used
  std::string content_type;
  uint64_t rows = 0;
  uint64_t rows_read = 0;
  uint64_t bytes_read = 0;
  uint64_t elapsed_ns = 0;
};

// Rows for one INSERT, in the order of `columns`.
struct Block {
  std::string table;    // without the database
  std::string columns;  // "id, timestamp, value"
  std::string data;
  uint64_t rows = 0;
  std::string format = "RowBinary";  // or Native: the columns one behind the other
};

// Thread-safe: queries run side by side, each on a connection of its own.
class Engine {
 public:
  virtual ~Engine() = default;

  // The rows, at most `max_result_rows`; beyond that an error, never a silent cut.
  virtual Result<Table> query(const Query& query) = 0;

  // As query(), the rows in ClickHouse's format RowBinary: for many rows of few numbers.
  virtual Result<std::string> query_binary(const Query& query) = 0;

  // As query(), for text a user typed: SELECT and the like only, nothing that writes or reaches
  // outside the database `auscult` (table functions file, url, remote, ...). invalid_input says
  // what was refused.
  virtual Result<Table> query_user(const std::string& sql, const Parameters& parameters) = 0;

  // As query_user(), in any format and with settings. The error's message is ClickHouse's own,
  // "Code: 62. DB::Exception: ...", also for what is refused: see exception.h.
  virtual Result<UserAnswer> query_user_raw(const UserQuery& query) = 0;

  // DDL and settings. Text made by the program itself.
  virtual Result<Ok> execute(const std::string& sql) = 0;

  // Inserts all rows or fails. The same token again, within the table's deduplication window, is
  // stored once. The rows that the engine reports written are compared with block.rows.
  virtual Result<Ok> insert(const Block& block, const std::string& deduplication_token) = 0;
};

struct EmbeddedOptions {
  std::filesystem::path data;                      // folder of the database; one process at a time
  std::filesystem::path library;                   // libchdb.so; empty: find_libchdb()
  size_t connections = 4;                          // the most queries that run at once
  uint64_t max_memory_bytes = uint64_t{2} << 30U;  // per query
};

// Opens (creating if need be) the embedded ClickHouse. Errors, one line each: no libchdb or a wrong
// checksum (and the command that fetches it), the folder locked by another process, not writable.
Result<std::unique_ptr<Engine>> open_embedded(const EmbeddedOptions& options);

// AUSCULT_LIBCHDB is resolved by apps/; here: beside the program (../lib/libchdb.so of the
// executable), then /usr/local/lib/auscult, /usr/lib/auscult. Empty when nowhere.
std::filesystem::path find_libchdb();

}  // namespace auscult::store
