// What ClickHouse's HTTP interface says when it fails: "Code: 62. DB::Exception: ...
// (SYNTAX_ERROR)".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace auscult::store {

// One of ClickHouse's error codes (src/Common/ErrorCodes.cpp), for refusals of our own.
struct ExceptionKind {
  int code;
  std::string_view name;
};

inline constexpr ExceptionKind bad_arguments{36, "BAD_ARGUMENTS"};
inline constexpr ExceptionKind not_implemented{48, "NOT_IMPLEMENTED"};
inline constexpr ExceptionKind syntax_error{62, "SYNTAX_ERROR"};
inline constexpr ExceptionKind unknown_format{73, "UNKNOWN_FORMAT"};
inline constexpr ExceptionKind unknown_database{81, "UNKNOWN_DATABASE"};
inline constexpr ExceptionKind unknown_setting{115, "UNKNOWN_SETTING"};
inline constexpr ExceptionKind readonly{164, "READONLY"};
inline constexpr ExceptionKind too_many_simultaneous_queries{202, "TOO_MANY_SIMULTANEOUS_QUERIES"};
inline constexpr ExceptionKind query_is_too_large{229, "QUERY_IS_TOO_LARGE"};
inline constexpr ExceptionKind too_many_rows_or_bytes{396, "TOO_MANY_ROWS_OR_BYTES"};
inline constexpr ExceptionKind access_denied{497, "ACCESS_DENIED"};
inline constexpr ExceptionKind unknown_exception{1002, "UNKNOWN_EXCEPTION"};

std::string exception_text(const ExceptionKind& kind, std::string_view message);

// The number after "Code: "; 0 when the text is no exception.
int exception_code(std::string_view text);

}  // namespace auscult::store
