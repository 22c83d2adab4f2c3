#include "store/user_settings.h"

#include <algorithm>

#include "base/text.h"

namespace auscult::store {
namespace {

// Of the 1,300 settings of ClickHouse. Not here, among others: readonly, dialect and
// implicit_select (the check of user SQL relies on them), every one that names a file, a server or
// a profile.
constexpr std::string_view allowed[] = {
    "aggregate_functions_null_for_empty",
    "asterisk_include_alias_columns",
    "asterisk_include_materialized_columns",
    "cast_keep_nullable",
    "date_time_output_format",
    "distributed_product_mode",
    "empty_result_for_aggregation_by_empty_set",
    "extremes",
    "final",
    "format_csv_delimiter",
    "format_csv_null_representation",
    "format_tsv_null_representation",
    "group_by_overflow_mode",
    "group_by_use_nulls",
    "join_algorithm",
    "join_overflow_mode",
    "join_use_nulls",
    "limit",
    "max_block_size",
    "max_bytes_to_read",
    "max_execution_time",
    "max_memory_usage",
    "max_result_bytes",
    "max_result_rows",
    "max_rows_to_group_by",
    "max_rows_to_read",
    "max_threads",
    "offset",
    "prefer_column_name_to_alias",
    "read_overflow_mode",
    "result_overflow_mode",
    "session_timezone",
    "timeout_overflow_mode",
    "totals_mode",
    "transform_null_in",
    "union_default_mode",
};
constexpr std::string_view printing = "output_format_";
constexpr std::string_view writes_a_file = "output_format_schema";

std::string sql_quoted(std::string_view value) {
  std::string text = "'";
  for (const char c : value) {
    if (c == '\'' || c == '\\') text += '\\';
    text += c;
  }
  return text + "'";
}

std::string limited(std::string_view value, uint64_t most) {
  const auto number = to_double(value);
  // What is no number is ClickHouse's to refuse.
  if (!number) return std::string(value);
  if (*number > 0 && *number <= static_cast<double>(most)) return std::string(value);
  return std::to_string(most);
}

}  // namespace

std::string limited_setting(std::string_view name, std::string_view value,
                            const UserLimits& limits) {
  if (name == "max_execution_time") return limited(value, limits.max_seconds);
  if (name == "max_memory_usage") return limited(value, limits.max_memory_bytes);
  if (name == "max_result_rows") return limited(value, limits.max_result_rows);
  if (name == "max_result_bytes") return limited(value, limits.max_result_bytes);
  if (name == "max_threads") return limited(value, limits.max_threads);
  return std::string(value);
}

bool is_user_setting(std::string_view name) {
  if (std::find(std::begin(allowed), std::end(allowed), name) != std::end(allowed)) return true;
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  return plain && name.starts_with(printing) && !name.starts_with(writes_a_file);
}

std::string set_statement(const Parameters& settings, const UserLimits& limits) {
  std::string statement;
  for (const auto& [name, value] : settings) {
    statement += statement.empty() ? "SET " : ", ";
    statement += name + " = " + sql_quoted(limited_setting(name, value, limits));
  }
  return statement;
}

}  // namespace auscult::store
