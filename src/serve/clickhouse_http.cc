#include "serve/clickhouse_http.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "store/native_blocks.h"
#include "store/user_sql.h"
#include "wire/compression.h"

namespace auscult::serve {
namespace {

// Parameters of the interface itself. What a session would keep (temporary tables, settings) cannot
// be made here, so a session is nothing; an answer is always whole before it is sent.
constexpr std::string_view interface_parameters[] = {
    "buffer_size",
    "cancel_http_readonly_queries_on_client_close",
    "client_protocol_version",
    "connect_timeout",
    "database",
    "default_format",
    "enable_http_compression",
    "http_headers_progress_interval_ms",
    "http_wait_end_of_query",
    "http_write_exception_in_output_format",
    "http_zlib_compression_level",
    "log_comment",
    "log_queries",
    "password",
    "query",
    "query_id",
    "quota_key",
    "receive_timeout",
    "send_logs_level",
    "send_profile_events",
    "send_progress_in_http_headers",
    "send_timeout",
    "session_check",
    "session_id",
    "session_timeout",
    "stacktrace",
    "user",
    "wait_end_of_query",
};

// Parameters that would change the bytes of an answer in a way that is not built.
constexpr std::string_view unsupported[] = {"compress", "decompress"};

Error exception(const store::ExceptionKind& kind, std::string_view message) {
  return {ErrorCode::invalid_input, store::exception_text(kind, message)};
}

bool is_interface_parameter(std::string_view name) {
  return std::find(std::begin(interface_parameters), std::end(interface_parameters), name) !=
         std::end(interface_parameters);
}

// The parameter, or the header, or empty.
std::string_view given(const net::Request& request, std::string_view parameter,
                       std::string_view header) {
  const auto value = request.parameter(parameter);
  return value.empty() ? net::header(request.headers, header) : value;
}

bool is_on(std::string_view value) { return value == "1" || value == "true"; }

std::string encoding_for(const net::Request& request) {
  if (!is_on(request.parameter("enable_http_compression"))) return {};
  const auto accepted = net::header(request.headers, "Accept-Encoding");
  for (const std::string_view encoding : {"zstd", "gzip"}) {
    if (accepted.find(encoding) != std::string_view::npos) return std::string(encoding);
  }
  return {};
}

Result<std::string> statement(const net::Request& request) {
  if (net::header(request.headers, "Content-Type").starts_with("multipart/form-data")) {
    return exception(store::not_implemented,
                     "External data (multipart/form-data) is not supported");
  }
  std::string sql(request.parameter("query"));
  if (request.body.empty()) return sql;
  const auto encoding = net::header(request.headers, "Content-Encoding");
  auto body = wire::decompress(encoding, request.body, store::max_user_sql_bytes);
  if (!body) return exception(store::bad_arguments, "Request body: " + body.error().message);
  if (!sql.empty()) sql += '\n';
  return sql + *body;
}

std::string summary(const store::UserAnswer& answer) {
  const auto text = [](uint64_t number) { return Json(std::to_string(number)); };
  return Json(Json::Object{{"read_rows", text(answer.rows_read)},
                           {"read_bytes", text(answer.bytes_read)},
                           {"written_rows", text(0)},
                           {"written_bytes", text(0)},
                           {"total_rows_to_read", text(answer.rows_read)},
                           {"result_rows", text(answer.rows)},
                           {"result_bytes", text(answer.body.size())},
                           {"elapsed_ns", text(answer.elapsed_ns)}})
      .dump();
}

net::Headers common_headers(const std::string& query_id) {
  return {{"X-ClickHouse-Server-Display-Name", "auscult"}, {"X-ClickHouse-Query-Id", query_id}};
}

}  // namespace

Result<ClickhouseRequest> parse_clickhouse(const net::Request& request) {
  ClickhouseRequest parsed;
  parsed.query_id = request.parameter("query_id");
  for (const auto& [name, value] : request.query) {
    constexpr std::string_view prefix = "param_";
    if (name.starts_with(prefix)) {
      parsed.query.parameters[name.substr(prefix.size())] = value;
    } else if (std::find(std::begin(unsupported), std::end(unsupported), name) !=
               std::end(unsupported)) {
      if (value == "0" || value.empty()) continue;
      return exception(store::not_implemented,
                       "Parameter '" + name +
                           "' is not supported: use enable_http_compression=1 and Accept-Encoding");
    } else if (name == "readonly" && (value == "1" || value == "2")) {
      continue;  // it is
    } else if (!is_interface_parameter(name)) {
      parsed.query.settings[name] = value;
    }
  }
  const auto database = given(request, "database", "X-ClickHouse-Database");
  if (!database.empty() && database != "default" && database != "auscult") {
    return exception(store::unknown_database,
                     "Database " + std::string(database) + " does not exist: there is auscult");
  }
  parsed.query.format = given(request, "default_format", "X-ClickHouse-Format");
  if (parsed.query.format.empty()) parsed.query.format = "TabSeparated";
  parsed.encoding = encoding_for(request);
  parsed.protocol_version = to_uint(request.parameter("client_protocol_version")).value_or(0);
  if (parsed.protocol_version != 0 && parsed.protocol_version < store::min_native_version) {
    return exception(store::not_implemented, "client_protocol_version is below " +
                                                 std::to_string(store::min_native_version));
  }
  parsed.query.sql = TRY(statement(request));
  return parsed;
}

// exceptionCodeToHTTPStatus.cpp of ClickHouse, for the codes that a reading statement can meet.
int clickhouse_status(int exception_code) {
  switch (exception_code) {
    case 6:    // CANNOT_PARSE_TEXT
    case 8:    // THERE_IS_NO_COLUMN
    case 15:   // DUPLICATE_COLUMN
    case 25:   // CANNOT_PARSE_ESCAPE_SEQUENCE
    case 26:   // CANNOT_PARSE_QUOTED_STRING
    case 27:   // CANNOT_PARSE_INPUT_ASSERTION_FAILED
    case 36:   // BAD_ARGUMENTS
    case 38:   // CANNOT_PARSE_DATE
    case 41:   // CANNOT_PARSE_DATETIME
    case 44:   // ILLEGAL_COLUMN
    case 53:   // TYPE_MISMATCH
    case 62:   // SYNTAX_ERROR
    case 72:   // CANNOT_PARSE_NUMBER
    case 117:  // INCORRECT_DATA
    case 167:  // TOO_DEEP_AST
    case 168:  // TOO_BIG_AST
    case 321:  // VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
    case 376:  // CANNOT_PARSE_UUID
    case 427:  // CANNOT_COMPILE_REGEXP
      return 400;
    case 497:  // ACCESS_DENIED
      return 403;
    case 46:   // UNKNOWN_FUNCTION
    case 47:   // UNKNOWN_IDENTIFIER
    case 50:   // UNKNOWN_TYPE
    case 56:   // UNKNOWN_STORAGE
    case 60:   // UNKNOWN_TABLE
    case 63:   // UNKNOWN_AGGREGATE_FUNCTION
    case 73:   // UNKNOWN_FORMAT
    case 81:   // UNKNOWN_DATABASE
    case 115:  // UNKNOWN_SETTING
      return 404;
    case 159:  // TIMEOUT_EXCEEDED
      return 408;
    case 229:  // QUERY_IS_TOO_LARGE
      return 413;
    case 48:  // NOT_IMPLEMENTED
      return 501;
    case 209:  // SOCKET_TIMEOUT
    case 439:  // CANNOT_SCHEDULE_TASK
      return 503;
    default:
      return 500;
  }
}

net::Response clickhouse_exception(const std::string& text, const std::string& query_id) {
  const int code = store::exception_code(text);
  const std::string whole =
      code == 0 ? store::exception_text(store::unknown_exception, text) : text;
  net::Response response = net::text_response(clickhouse_status(code), whole + "\n");
  for (auto& header : common_headers(query_id)) response.headers.push_back(std::move(header));
  response.headers.emplace_back("X-ClickHouse-Exception-Code",
                                std::to_string(code == 0 ? store::unknown_exception.code : code));
  return response;
}

net::Response clickhouse_answer(store::UserAnswer answer, const ClickhouseRequest& request) {
  net::Response response{.status = 200, .headers = common_headers(request.query_id), .body = {}};
  response.headers.emplace_back("Content-Type", answer.content_type);
  response.headers.emplace_back("X-ClickHouse-Format", answer.format);
  response.headers.emplace_back("X-ClickHouse-Summary", summary(answer));
  response.body = std::move(answer.body);
  if (answer.format == "Native" && request.protocol_version != 0) {
    auto framed = store::with_frames(response.body, request.protocol_version);
    if (!framed) {
      return clickhouse_exception(
          store::exception_text(store::not_implemented, framed.error().message), request.query_id);
    }
    response.body = *std::move(framed);
  }
  if (request.encoding.empty()) return response;
  auto packed = wire::compress(request.encoding, response.body);
  if (!packed) return response;  // plain is an answer too
  response.body = *std::move(packed);
  response.headers.emplace_back("Content-Encoding", request.encoding);
  return response;
}

}  // namespace auscult::serve
