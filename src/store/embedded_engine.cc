// The embedded engine: libchdb behind the Engine interface.

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "store/connection_pool.h"
#include "store/data_lock.h"
#include "store/engine.h"
#include "store/engine_error.h"
#include "store/exception.h"
#include "store/libchdb.h"
#include "store/output_format.h"
#include "store/statement.h"
#include "store/tab_separated.h"
#include "store/user_check.h"
#include "store/user_settings.h"

namespace auscult::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view table_format = "TabSeparatedWithNamesAndTypes";

// The most rows and bytes of one result, held in memory as text.
constexpr uint64_t max_result_rows = 1'000'000;
constexpr uint64_t max_result_bytes = uint64_t{512} << 20U;

// A person's query gives up after this; a dashboard asks again anyway.
constexpr uint64_t max_user_seconds = 60;

// The longest answer in the format of a user's choice: a long name of a column stands in every row
// of some formats.
constexpr size_t max_user_answer_bytes = size_t{256} << 20U;

// A query's threads: the store shares its machine with what it watches.
constexpr uint64_t max_threads = 4;

// What a server with few cores and a small budget of memory needs; ClickHouse's own defaults are
// for a machine of its own (5 GiB for each of four caches). Read by the connection that opens the
// database.
constexpr std::string_view server_settings[] = {
    "--mark_cache_size=33554432",
    "--primary_index_cache_size=33554432",
    "--index_mark_cache_size=16777216",
    "--uncompressed_cache_size=0",
    "--query_condition_cache_size=8388608",
    "--compiled_expression_cache_size=16777216",
    "--text_index_tokens_cache_size=8388608",
    "--text_index_header_cache_size=8388608",
    "--text_index_postings_cache_size=16777216",
    "--vector_similarity_index_cache_size=0",
    "--mmap_cache_size=0",
    "--background_pool_size=2",
    "--background_schedule_pool_size=2",
    "--max_server_memory_usage=4294967296",
};

constexpr std::string_view query_settings[] = {
    "--result_overflow_mode=throw",
    "--implicit_select=0",  // "1 + 1" is no statement: the check of user SQL relies on it
    "--date_time_output_format=simple",
};

std::string setting(std::string_view name, std::string_view value) {
  return "--" + std::string(name) + "=" + std::string(value);
}

std::string setting(std::string_view name, uint64_t value) {
  return setting(name, std::to_string(value));
}

// libchdb has one database a process, and says so only on stderr.
class OnlyEngine {
 public:
  // Nothing when another engine is open.
  static std::optional<OnlyEngine> take() {
    if (taken_.exchange(true)) return {};
    return OnlyEngine();
  }
  OnlyEngine(OnlyEngine&& other) noexcept : owns_(std::exchange(other.owns_, false)) {}
  OnlyEngine& operator=(OnlyEngine&&) = delete;
  OnlyEngine(const OnlyEngine&) = delete;
  OnlyEngine& operator=(const OnlyEngine&) = delete;
  ~OnlyEngine() {
    if (owns_) taken_ = false;
  }

 private:
  OnlyEngine() = default;
  bool owns_ = true;
  static inline std::atomic<bool> taken_ = false;
};

class EmbeddedEngine : public Engine {
 public:
  EmbeddedEngine(const Libchdb& library, DataLock lock, OnlyEngine only,
                 const EmbeddedOptions& options)
      : library_(library),
        lock_(std::move(lock)),
        only_(std::move(only)),
        internal_(library, internal_arguments(options), options.connections),
        writing_(library, writing_arguments(options), 1),
        users_(library, user_arguments(options), std::max<size_t>(1, options.connections / 2)),
        limits_{.max_seconds = max_user_seconds,
                .max_memory_bytes = options.max_memory_bytes,
                .max_result_rows = max_result_rows,
                .max_result_bytes = max_result_bytes,
                .max_threads = max_threads} {}

  // Opens the database and makes `auscult` the default one.
  Result<Ok> start() {
    TRY(run(writing_, "CREATE DATABASE IF NOT EXISTS auscult", {}, "TSV"));
    for (ConnectionPool* pool : {&internal_, &writing_, &users_}) {
      pool->set_first_statement("USE auscult");
    }
    // The connection that is open already.
    TRY(run(writing_, "USE auscult", {}, "TSV"));
    return Ok{};
  }

  Result<Table> query(const Query& query) override {
    return parse_table(TRY(run(internal_, query.sql.text(), query.parameters, table_format)));
  }

  Result<std::string> query_binary(const Query& query) override {
    return run(internal_, query.sql.text(), query.parameters, "RowBinary");
  }

  Result<Table> query_user(const std::string& sql, const Parameters& parameters) override;
  Result<UserAnswer> query_user_raw(const UserQuery& query) override;

  Result<Ok> execute(const std::string& sql) override {
    TRY(run(writing_, sql, {}, "TSV"));
    return Ok{};
  }

  Result<Ok> insert(const Block& block, const std::string& deduplication_token) override;

 private:
  static std::vector<std::string> internal_arguments(const EmbeddedOptions& options) {
    std::vector<std::string> arguments = {setting("path", options.data.string())};
    arguments.insert(arguments.end(), std::begin(server_settings), std::end(server_settings));
    arguments.insert(arguments.end(), std::begin(query_settings), std::end(query_settings));
    arguments.push_back(setting("max_memory_usage", options.max_memory_bytes));
    arguments.push_back(setting("max_threads", max_threads));
    arguments.push_back(setting("max_result_rows", max_result_rows));
    arguments.push_back(setting("max_result_bytes", max_result_bytes));
    return arguments;
  }

  static std::vector<std::string> user_arguments(const EmbeddedOptions& options) {
    std::vector<std::string> arguments = internal_arguments(options);
    arguments.push_back(setting("readonly", "2"));
    arguments.push_back(setting("max_execution_time", max_user_seconds));
    arguments.push_back(setting("allow_introspection_functions", "0"));
    return arguments;
  }

  static std::vector<std::string> writing_arguments(const EmbeddedOptions& options) {
    std::vector<std::string> arguments = internal_arguments(options);
    arguments.push_back(setting("insert_deduplicate", "1"));
    arguments.push_back(setting("max_insert_threads", "1"));
    // The default of 100 refuses an insert of old rows that span more days; the writer has a bound
    // of its own.
    arguments.push_back(setting("max_partitions_per_insert_block", "0"));
    arguments.push_back(setting("lightweight_deletes_sync", "2"));
    return arguments;
  }

  Result<std::string> run(ConnectionPool& pool, std::string_view sql, const Parameters& parameters,
                          std::string_view format) {
    const ConnectionPool::Lease connection = TRY(pool.lease());
    StatementResult result =
        run_statement(library_, connection, sql, escaped_parameters(sql, parameters), format);
    if (!result.exception.empty()) return engine_error(result.exception);
    return std::move(result.body);
  }

  // Why a setting that is no user's cannot be changed.
  std::string why_no_setting(const std::string& name);

  const Libchdb& library_;
  // Both released after the connections below are closed.
  const DataLock lock_;
  const OnlyEngine only_;
  ConnectionPool internal_;
  ConnectionPool writing_;
  ConnectionPool users_;
  const UserLimits limits_;
};

Result<Table> EmbeddedEngine::query_user(const std::string& sql, const Parameters& parameters) {
  const ConnectionPool::Lease connection = TRY(users_.lease());
  const Parameters escaped = escaped_parameters(sql, parameters);
  CheckedSql checked = check_user_sql(library_, connection, sql, escaped);
  if (!checked.exception.empty()) return std::move(checked.error);
  if (!checked.format.empty()) {
    return Error{ErrorCode::invalid_input, "refused: FORMAT: leave it out, the caller chooses it"};
  }
  const StatementResult result =
      run_statement(library_, connection, checked.sql, escaped, table_format);
  if (!result.exception.empty()) return engine_error(result.exception);
  return parse_table(result.body);
}

std::string EmbeddedEngine::why_no_setting(const std::string& name) {
  const auto known = query({.sql = "SELECT count() FROM system.settings WHERE name = {name:String}",
                            .parameters = {{"name", name}}});
  const bool exists = known && !known->rows.empty() && known->rows[0][0] != "0";
  // The words of ClickHouse's SettingsConstraints.cpp and BaseSettings.
  return exists ? exception_text(readonly, "Cannot modify '" + name + "' setting in readonly mode")
                : exception_text(unknown_setting, "Unknown setting '" + name + "'");
}

Result<UserAnswer> EmbeddedEngine::query_user_raw(const UserQuery& query) {
  for (const auto& [name, value] : query.settings) {
    if (!is_user_setting(name)) return Error{ErrorCode::invalid_input, why_no_setting(name)};
  }
  const auto lease = users_.lease();
  if (!lease) {
    return Error{ErrorCode::unavailable,
                 exception_text(too_many_simultaneous_queries, lease.error().message)};
  }
  const ConnectionPool::Lease& connection = *lease;
  const auto failed = [](const std::string& exception) {
    return Error{engine_error(exception).code, exception};
  };
  if (const std::string set = set_statement(query.settings, limits_); !set.empty()) {
    connection.spoil();  // the next statement has settings of its own
    const StatementResult done = run_statement(library_, connection, set, {}, "TSV");
    if (!done.exception.empty()) return failed(done.exception);
  }
  const CheckedSql checked = check_user_sql(library_, connection, query.sql, query.parameters);
  if (!checked.exception.empty()) return Error{checked.error.code, checked.exception};
  const std::string& format = checked.format.empty() ? query.format : checked.format;
  const auto type = content_type(format);
  if (!type) return failed(exception_text(unknown_format, "Unknown format " + format));
  StatementResult result = run_statement(library_, connection, checked.sql, query.parameters,
                                         format, max_user_answer_bytes);
  if (!result.exception.empty()) return failed(result.exception);
  return UserAnswer{.body = std::move(result.body),
                    .format = format,
                    .content_type = std::string(*type),
                    .rows = result.rows,
                    .rows_read = result.rows_read,
                    .bytes_read = result.bytes_read,
                    .elapsed_ns = result.elapsed_ns};
}

Result<Ok> EmbeddedEngine::insert(const Block& block, const std::string& deduplication_token) {
  if (block.rows == 0) return Ok{};
  const ConnectionPool::Lease connection = TRY(writing_.lease());
  // Tokens are made of digits and table names by the writer.
  const std::string sql = "INSERT INTO auscult." + block.table + " (" + block.columns +
                          ") SETTINGS insert_deduplication_token='" + deduplication_token + "'";
  Libchdb::Handle stream = library_.stream_insert(connection.get(), sql.data(), sql.size(),
                                                  block.format.data(), block.format.size());
  const char* why = library_.stream_insert_error(stream);
  std::string message = why == nullptr ? "" : why;
  uint64_t written = 0;
  if (message.empty()) {
    // A failed append shows in the result of done().
    (void)library_.stream_append(stream, block.data.data(), block.data.size());
    Libchdb::Handle result = library_.stream_done(stream);
    why = library_.result_error(result);
    if (why != nullptr) message = why;
    written = library_.result_rows_written(result);
    library_.destroy_result(result);
  }
  library_.destroy_insert_stream(stream);
  if (!message.empty()) {
    connection.spoil();
    return engine_error(message).during("inserting into " + block.table);
  }
  if (written != block.rows) {
    return Error{ErrorCode::internal, "inserting into " + block.table + ": " +
                                          std::to_string(written) + " of " +
                                          std::to_string(block.rows) + " rows were written"};
  }
  return Ok{};
}

}  // namespace

Result<std::unique_ptr<Engine>> open_embedded(const EmbeddedOptions& options) {
  const fs::path library = options.library.empty() ? find_libchdb() : options.library;
  std::error_code error;
  EmbeddedOptions resolved = options;
  resolved.data = fs::absolute(options.data, error);
  DataLock lock = TRY(DataLock::lock(resolved.data));
  const Libchdb* chdb = TRY(Libchdb::load(library));
  auto only = OnlyEngine::take();
  if (!only) {
    return Error{ErrorCode::unavailable, "opening the store " + options.data.string() +
                                             ": a process opens one store at a time"};
  }
  auto engine =
      std::make_unique<EmbeddedEngine>(*chdb, std::move(lock), *std::move(only), resolved);
  TRY(engine->start(), "opening the store " + options.data.string());
  return Result<std::unique_ptr<Engine>>(std::move(engine));
}

fs::path find_libchdb() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (const fs::path& folder :
       {program.parent_path().parent_path() / "lib", fs::path("/usr/local/lib/auscult"),
        fs::path("/usr/lib/auscult")}) {
    if (fs::exists(folder / "libchdb.so", error)) return folder / "libchdb.so";
  }
  return {};
}

}  // namespace auscult::store
