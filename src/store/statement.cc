#include "store/statement.h"

#include <vector>

#include "store/exception.h"
#include "store/tab_separated.h"

namespace auscult::store {
namespace {

bool is_escaped(std::string_view sql, const std::string& name) {
  const std::string placeholder = "{" + name + ":";
  const auto at = sql.find(placeholder);
  if (at == std::string_view::npos) return true;
  const std::string_view type = sql.substr(at + placeholder.size());
  return !type.starts_with("Array") && !type.starts_with("Map") && !type.starts_with("Tuple");
}

}  // namespace

Parameters escaped_parameters(std::string_view sql, const Parameters& parameters) {
  Parameters escaped = parameters;
  for (auto& [name, value] : escaped) {
    if (is_escaped(sql, name)) value = escape_parameter(value);
  }
  return escaped;
}

StatementResult run_statement(const Libchdb& library, const ConnectionPool::Lease& connection,
                              std::string_view sql, const Parameters& parameters,
                              std::string_view format, size_t max_bytes) {
  std::vector<const char*> names;
  std::vector<size_t> name_lengths;
  std::vector<const char*> texts;
  std::vector<size_t> text_lengths;
  for (const auto& [name, value] : parameters) {
    names.push_back(name.data());
    name_lengths.push_back(name.size());
    texts.push_back(value.data());
    text_lengths.push_back(value.size());
  }
  Libchdb::Handle handle = library.query_with_params(
      connection.get(), sql.data(), sql.size(), format.data(), format.size(), names.data(),
      name_lengths.data(), texts.data(), text_lengths.data(), names.size());
  StatementResult result;
  if (handle == nullptr) {
    result.exception = exception_text(unknown_exception, "ClickHouse gave no result");
  } else if (const char* why = library.result_error(handle); why != nullptr) {
    result.exception = why;
  } else if (library.result_length(handle) > max_bytes) {
    result.exception =
        exception_text(too_many_rows_or_bytes,
                       "The result is longer than " + std::to_string(max_bytes) + " bytes");
  } else if (const char* text = library.result_buffer(handle); text != nullptr) {
    result.body.assign(text, library.result_length(handle));
    result.rows = library.result_rows(handle);
    result.rows_read = library.result_storage_rows_read(handle);
    result.bytes_read = library.result_storage_bytes_read(handle);
    result.elapsed_ns = static_cast<uint64_t>(library.result_elapsed(handle) * 1e9);
  }
  if (!result.exception.empty()) connection.spoil();
  if (handle != nullptr) library.destroy_result(handle);
  return result;
}

}  // namespace auscult::store
