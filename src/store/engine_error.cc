#include "store/engine_error.h"

#include <algorithm>
#include <cstdint>

#include "base/text.h"

namespace auscult::store {
namespace {

// ClickHouse's error codes (src/Common/ErrorCodes.cpp) that mean: later, perhaps.
constexpr int64_t transient_codes[] = {
    74,   // CANNOT_READ_FROM_FILE_DESCRIPTOR
    75,   // CANNOT_WRITE_TO_FILE_DESCRIPTOR: no space left, among others
    76,   // CANNOT_OPEN_FILE
    159,  // TIMEOUT_EXCEEDED
    160,  // TOO_SLOW
    202,  // TOO_MANY_SIMULTANEOUS_QUERIES
    209,  // SOCKET_TIMEOUT
    210,  // NETWORK_ERROR
    225,  // NO_ZOOKEEPER
    236,  // ABORTED
    241,  // MEMORY_LIMIT_EXCEEDED
    242,  // TABLE_IS_READ_ONLY
    243,  // NOT_ENOUGH_SPACE
    252,  // TOO_MANY_PARTS
    279,  // ALL_CONNECTION_TRIES_FAILED
    319,  // UNKNOWN_STATUS_OF_INSERT
    394,  // QUERY_WAS_CANCELLED
    999,  // KEEPER_EXCEPTION
};

constexpr int64_t statement_codes[] = {
    6,    // CANNOT_PARSE_TEXT
    8,    // THERE_IS_NO_COLUMN
    36,   // BAD_ARGUMENTS
    42,   // NUMBER_OF_ARGUMENTS_DOESNT_MATCH
    43,   // ILLEGAL_TYPE_OF_ARGUMENT
    46,   // UNKNOWN_FUNCTION
    47,   // UNKNOWN_IDENTIFIER
    53,   // TYPE_MISMATCH
    60,   // UNKNOWN_TABLE
    62,   // SYNTAX_ERROR
    63,   // UNKNOWN_AGGREGATE_FUNCTION
    81,   // UNKNOWN_DATABASE
    115,  // UNKNOWN_SETTING
    158,  // TOO_MANY_ROWS
    164,  // READONLY
    184,  // ILLEGAL_AGGREGATION
    215,  // NOT_AN_AGGREGATE
    386,  // NO_COMMON_TYPE
    396,  // TOO_MANY_ROWS_OR_BYTES
    456,  // UNKNOWN_QUERY_PARAMETER
    457,  // BAD_QUERY_PARAMETER
    497,  // ACCESS_DENIED
    516,  // AUTHENTICATION_FAILED
};

// The longest message passed on: an error may quote the whole statement.
constexpr size_t max_message_bytes = 500;

bool contains(std::string_view text, std::string_view piece) {
  return text.find(piece) != std::string_view::npos;
}

ErrorCode code_of(std::string_view message) {
  if (contains(message, "No space left on device")) return ErrorCode::unavailable;
  constexpr std::string_view prefix = "Code: ";
  if (!message.starts_with(prefix)) return ErrorCode::internal;
  message.remove_prefix(prefix.size());
  const auto number = to_int(message.substr(0, message.find('.'))).value_or(0);
  const auto is = [&](const auto& codes) {
    return std::find(std::begin(codes), std::end(codes), number) != std::end(codes);
  };
  if (is(transient_codes)) return ErrorCode::unavailable;
  return is(statement_codes) ? ErrorCode::invalid_input : ErrorCode::internal;
}

}  // namespace

Error engine_error(std::string_view message) {
  std::string_view text = message;
  constexpr std::string_view marker = "DB::Exception: ";
  if (const auto start = text.find(marker); start != std::string_view::npos) {
    text.remove_prefix(start + marker.size());
  }
  for (const std::string_view end :
       {". Expected one of:", " (version ", ": In scope ", " (MEMORY_LIMIT_EXCEEDED)"}) {
    text = text.substr(0, text.find(end));
  }
  std::string line(text.substr(0, max_message_bytes));
  if (text.size() > max_message_bytes) line += " ...";
  std::replace(line.begin(), line.end(), '\n', ' ');
  return {code_of(message), "ClickHouse: " + std::string(trim(line))};
}

}  // namespace auscult::store
