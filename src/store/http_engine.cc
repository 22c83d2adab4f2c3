#include "store/http_engine.h"

#include <optional>

#include "base/json.h"
#include "base/text.h"
#include "store/cluster_sql.h"
#include "store/engine_error.h"
#include "store/exception.h"
#include "store/http_endpoints.h"
#include "store/output_format.h"
#include "store/statement.h"
#include "store/tab_separated.h"
#include "store/user_settings.h"
#include "store/user_sql.h"
#include "wire/compression.h"

namespace auscult::store {
namespace {

constexpr std::string_view table_format = "TabSeparatedWithNamesAndTypes";

// The limits of the embedded engine, so that a query means the same on both.
constexpr uint64_t max_result_rows = 1'000'000;
constexpr uint64_t max_result_bytes = uint64_t{512} << 20U;
constexpr uint64_t max_user_answer_bytes = uint64_t{256} << 20U;
constexpr uint64_t max_user_seconds = 60;
constexpr uint64_t max_user_threads = 4;

// Smaller bodies are not worth packing.
constexpr size_t min_packed_bytes = 4096;

// What was said instead of an answer: an exception of ClickHouse, or of a proxy before it.
Error refused(const net::Response& response) {
  std::string_view text = trim(response.body);
  if (exception_code(text) != 0) return engine_error(text);
  const ErrorCode code = response.status >= 500 ? ErrorCode::unavailable : ErrorCode::invalid_input;
  return {code, "the store answered " + std::to_string(response.status) + ": " +
                    std::string(text.substr(0, std::min<size_t>(text.find('\n'), 200)))};
}

class HttpEngine : public Engine {
 public:
  explicit HttpEngine(const HttpEngineOptions& options)
      : options_(options),
        endpoints_(options.url, max_result_bytes),
        limits_{.max_seconds = max_user_seconds,
                .max_memory_bytes = options.max_memory_bytes,
                .max_result_rows = max_result_rows,
                .max_result_bytes = max_result_bytes,
                .max_threads = max_user_threads} {}

  Result<Table> query(const Query& query) override {
    return parse_table(TRY(read(query, table_format)));
  }
  Result<std::string> query_binary(const Query& query) override { return read(query, "RowBinary"); }
  Result<Table> query_user(const std::string& sql, const Parameters& parameters) override;
  Result<UserAnswer> query_user_raw(const UserQuery& query) override;
  Result<Ok> execute(const std::string& sql) override;
  Result<Ok> insert(const Block& block, const std::string& deduplication_token) override;

 private:
  struct Statement {
    std::string sql;
    net::Headers query;  // parameters of the URL
    std::string body;    // rows; empty: the statement is the body
    bool repeatable = true;
  };

  // The 200, its body unpacked; an exception as it was said, in `exception`.
  Result<net::Response> send(Statement statement);
  Result<net::Response> send_plain(const Statement& statement);
  Result<std::string> read(const Query& query, std::string_view format);
  net::Headers user_settings() const;

  struct Checked {
    std::string sql;
    std::string format;
  };
  // What may run; the error's message is an exception.
  Result<Checked> check(const std::string& sql, const Parameters& parameters);

  const HttpEngineOptions options_;
  HttpEndpoints endpoints_;
  const UserLimits limits_;
};

net::Headers with_parameters(net::Headers query, const Parameters& parameters) {
  for (const auto& [name, value] : parameters) query.emplace_back("param_" + name, value);
  return query;
}

Result<net::Response> HttpEngine::send_plain(const Statement& statement) {
  std::string target = options_.url.path + "?enable_http_compression=1&wait_end_of_query=1";
  for (const auto& [name, value] : statement.query) {
    target += "&" + net::url_encode(name) + "=" + net::url_encode(value);
  }
  net::Headers headers = {{"X-ClickHouse-User", options_.url.user},
                          {"Accept-Encoding", "zstd, gzip"},
                          {"Content-Type", "application/octet-stream"}};
  if (!options_.password.empty()) headers.emplace_back("X-ClickHouse-Key", options_.password);
  HttpEndpoints::Request request{.target = std::move(target),
                                 .headers = std::move(headers),
                                 .body = statement.body.empty() ? statement.sql : statement.body,
                                 .timeout = options_.timeout,
                                 .repeatable = statement.repeatable};
  if (!statement.body.empty()) request.target += "&query=" + net::url_encode(statement.sql);
  if (request.body.size() >= min_packed_bytes) {
    request.body = TRY(wire::compress("zstd", request.body));
    request.headers.emplace_back("Content-Encoding", "zstd");
  }
  net::Response response = TRY(endpoints_.post(request));
  const std::string encoding(net::header(response.headers, "Content-Encoding"));
  if (encoding.empty()) return response;
  auto plain = wire::decompress(encoding, response.body, max_result_bytes);
  if (!plain) return std::move(plain).error().during("the store's answer");
  response.body = *std::move(plain);
  return response;
}

Result<net::Response> HttpEngine::send(Statement statement) {
  net::Response response = TRY(send_plain(statement));
  if (response.status != 200) return refused(response);
  return response;
}

Result<std::string> HttpEngine::read(const Query& query, std::string_view format) {
  const std::string sql(query.sql.text());
  net::Headers settings = {{"database", "auscult"},
                           {"default_format", std::string(format)},
                           {"max_result_rows", std::to_string(max_result_rows)},
                           {"max_result_bytes", std::to_string(max_result_bytes)},
                           {"result_overflow_mode", "throw"},
                           {"date_time_output_format", "simple"},
                           {"max_memory_usage", std::to_string(options_.max_memory_bytes)},
                           // Tables of a cluster are distributed: a subquery runs once, not on
                           // every shard with a part of the rows.
                           {"distributed_product_mode", "global"}};
  auto response = TRY(send(
      {.sql = sql,
       .query = with_parameters(std::move(settings), escaped_parameters(sql, query.parameters)),
       .body = {}}));
  return std::move(response.body);
}

net::Headers HttpEngine::user_settings() const {
  return {{"database", "auscult"},
          {"readonly", "2"},
          {"date_time_output_format", "simple"},
          {"distributed_product_mode", "global"}};
}

Result<HttpEngine::Checked> HttpEngine::check(const std::string& sql,
                                              const Parameters& parameters) {
  if (sql.size() > max_user_sql_bytes) {
    return Error{ErrorCode::invalid_input,
                 exception_text(query_is_too_large, "refused: a statement longer than 256 KiB")};
  }
  const std::string reading = show_as_select(sql).value_or(sql);
  net::Headers settings = user_settings();
  settings.emplace_back("default_format", "TSVRaw");
  // A server takes one statement a request, and refuses the text of two.
  const auto tree = TRY(send_plain({.sql = "EXPLAIN AST " + reading,
                                    .query = with_parameters(std::move(settings), parameters),
                                    .body = {}}));
  if (tree.status != 200) {
    const Error error = refused(tree);
    const std::string text(trim(tree.body));
    return Error{error.code, exception_code(text) == 0
                                 ? exception_text(unknown_exception, error.message)
                                 : text};
  }
  auto format = check_user_ast(tree.body);
  if (!format) {
    return Error{ErrorCode::invalid_input, exception_text(access_denied, format.error().message)};
  }
  return Checked{reading, *std::move(format)};
}

Result<Table> HttpEngine::query_user(const std::string& sql, const Parameters& parameters) {
  auto answer = query_user_raw({.sql = sql,
                                .parameters = escaped_parameters(sql, parameters),
                                .settings = {},
                                .format = std::string(table_format)});
  if (!answer) return Error{answer.error().code, engine_error(answer.error().message).message};
  if (answer->format != table_format) {
    return Error{ErrorCode::invalid_input, "refused: FORMAT: leave it out, the caller chooses it"};
  }
  return parse_table(answer->body);
}

uint64_t summary_number(const net::Response& response, std::string_view name) {
  const auto summary = Json::parse(net::header(response.headers, "X-ClickHouse-Summary"));
  return summary ? to_uint((*summary)[name].string_or("")).value_or(0) : 0;
}

Result<UserAnswer> HttpEngine::query_user_raw(const UserQuery& query) {
  net::Headers settings = user_settings();
  Parameters bounded = {{"max_execution_time", "0"},
                        {"max_memory_usage", "0"},
                        {"max_result_rows", "0"},
                        {"max_result_bytes", "0"},
                        {"max_threads", "0"}};
  for (const auto& [name, value] : query.settings) {
    if (!is_user_setting(name)) {
      return Error{ErrorCode::invalid_input,
                   exception_text(readonly, "Cannot modify '" + name + "' setting")};
    }
    bounded[name] = value;
  }
  for (const auto& [name, value] : bounded) {
    settings.emplace_back(name, limited_setting(name, value, limits_));
  }
  const Checked checked = TRY(check(query.sql, query.parameters));
  const std::string& format = checked.format.empty() ? query.format : checked.format;
  const auto type = content_type(format);
  if (!type) {
    return Error{ErrorCode::invalid_input,
                 exception_text(unknown_format, "Unknown format " + format)};
  }
  settings.emplace_back("default_format", format);
  auto response = TRY(send_plain({.sql = checked.sql,
                                  .query = with_parameters(std::move(settings), query.parameters),
                                  .body = {}}));
  if (response.status != 200) {
    const Error error = refused(response);
    return Error{error.code, exception_code(trim(response.body)) == 0
                                 ? exception_text(unknown_exception, error.message)
                                 : std::string(trim(response.body))};
  }
  if (response.body.size() > max_user_answer_bytes) {
    return Error{ErrorCode::invalid_input,
                 exception_text(too_many_rows_or_bytes, "The result is longer than 256 MiB")};
  }
  return UserAnswer{.body = std::move(response.body),
                    .format = format,
                    .content_type = std::string(*type),
                    .rows = summary_number(response, "result_rows"),
                    .rows_read = summary_number(response, "read_rows"),
                    .bytes_read = summary_number(response, "read_bytes"),
                    .elapsed_ns = summary_number(response, "elapsed_ns")};
}

// No database: the first statement makes it.
Result<Ok> HttpEngine::execute(const std::string& sql) {
  std::vector<std::string> statements = {sql};
  if (!options_.url.cluster.empty()) {
    statements = TRY(cluster_statements(sql, options_.url.cluster));
  }
  for (const std::string& statement : statements) {
    TRY(send({.sql = statement,
              .query = {{"lightweight_deletes_sync", "2"}, {"distributed_foreground_insert", "1"}},
              .body = {},
              .repeatable = false}));
  }
  return Ok{};
}

Result<Ok> HttpEngine::insert(const Block& block, const std::string& deduplication_token) {
  if (block.rows == 0) return Ok{};
  const std::string doing = "inserting into " + block.table;
  const net::Response response =
      TRY(send({.sql = "INSERT INTO auscult." + block.table + " (" + block.columns + ") FORMAT " +
                       block.format,
                .query = {{"insert_deduplication_token", deduplication_token},
                          {"insert_deduplicate", "1"},
                          {"async_insert", "0"},
                          {"distributed_foreground_insert", "1"},
                          // The same rows in the same blocks each time, or a token is no use.
                          {"input_format_parallel_parsing", "0"},
                          {"max_partitions_per_insert_block", "0"},
                          // Older servers count only for those who ask for progress (ClickHouse
                          // issue 16615); one line of it, not one every 100 ms.
                          {"send_progress_in_http_headers", "1"},
                          {"http_headers_progress_interval_ms", "3600000"}},
                .body = block.data}),
          doing);
  if (net::header(response.headers, "X-ClickHouse-Summary").empty()) {
    return Error{ErrorCode::internal, doing + ": the server does not say how many rows it wrote"};
  }
  // More is no fault: a distributed table and views that others attached count as well (ClickHouse
  // issue 43327).
  const uint64_t written = summary_number(response, "written_rows");
  if (written >= block.rows) return Ok{};
  return Error{ErrorCode::internal, doing + ": " + std::to_string(written) + " of " +
                                        std::to_string(block.rows) + " rows were written"};
}

}  // namespace

Result<std::unique_ptr<Engine>> open_http(const HttpEngineOptions& options) {
  auto engine = std::make_unique<HttpEngine>(options);
  TRY(engine->execute("CREATE DATABASE IF NOT EXISTS auscult"),
      "opening the store " + options.url.endpoints.front());
  return Result<std::unique_ptr<Engine>>(std::move(engine));
}

}  // namespace auscult::store
