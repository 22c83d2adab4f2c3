#include "store/user_check.h"

#include "store/engine_error.h"
#include "store/exception.h"
#include "store/statement.h"
#include "store/tab_separated.h"
#include "store/user_sql.h"

namespace auscult::store {
namespace {

CheckedSql refuse(const ExceptionKind& kind, std::string message) {
  return {.sql = {},
          .format = {},
          .exception = exception_text(kind, message),
          .error = {ErrorCode::invalid_input, std::move(message)}};
}

// Text that does not parse never runs, not even to see the message.
CheckedSql why_it_does_not_parse(const Libchdb& library, const ConnectionPool::Lease& connection,
                                 const std::string& sql) {
  const StatementResult formatted =
      run_statement(library, connection, "SELECT formatQuery({sql:String})",
                    {{"sql", escape_parameter(sql)}}, "TSV");
  if (formatted.exception.empty()) {
    return refuse(syntax_error, "refused: this is not one statement");
  }
  return {.sql = {},
          .format = {},
          .exception = formatted.exception,
          .error = {ErrorCode::invalid_input, engine_error(formatted.exception).message}};
}

}  // namespace

CheckedSql check_user_sql(const Libchdb& library, const ConnectionPool::Lease& connection,
                          const std::string& sql, const Parameters& parameters) {
  if (sql.size() > max_user_sql_bytes) {
    return refuse(query_is_too_large, "refused: a statement longer than 256 KiB");
  }
  // EXPLAIN runs what follows a semicolon: count the statements first, without running any.
  Libchdb::Analysis analysis;
  if (library.classify_query(connection.get(), sql.data(), sql.size(), nullptr, 0, &analysis) !=
      0) {
    return refuse(unknown_exception, "the statement could not be analysed");
  }
  if (analysis.statement_count > 1) return refuse(syntax_error, "refused: more than one statement");
  if (analysis.statement_count == 0) return why_it_does_not_parse(library, connection, sql);
  if (analysis.query_class != 0) {
    return refuse(readonly,
                  "refused: only statements that read are allowed (SELECT, EXPLAIN, DESCRIBE)");
  }
  const std::string reading = show_as_select(sql).value_or(sql);
  const StatementResult tree =
      run_statement(library, connection, "EXPLAIN AST " + reading, parameters, "TSVRaw");
  if (!tree.exception.empty()) {
    return {.sql = {},
            .format = {},
            .exception = tree.exception,
            .error = engine_error(tree.exception)};
  }
  auto format = check_user_ast(tree.body);
  if (!format) return refuse(access_denied, format.error().message);
  return {.sql = reading, .format = *std::move(format), .exception = {}, .error = {}};
}

}  // namespace auscult::store
