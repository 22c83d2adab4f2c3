// One statement on one connection of the embedded engine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "store/connection_pool.h"
#include "store/engine.h"

namespace auscult::store {

struct StatementResult {
  std::string body;
  std::string exception;  // what ClickHouse said; empty: it succeeded
  uint64_t rows = 0;      // of the result
  uint64_t rows_read = 0;
  uint64_t bytes_read = 0;
  uint64_t elapsed_ns = 0;
};

// The values of parameters as the engine reads them: backslash, tab and line ends escaped, except
// those of arrays and the like, which bring quotes of their own.
Parameters escaped_parameters(std::string_view sql, const Parameters& parameters);

// Runs it. `parameters` are escaped already. A result of more than `max_bytes` is an exception. The
// connection is spoiled where the statement failed.
StatementResult run_statement(const Libchdb& library, const ConnectionPool::Lease& connection,
                              std::string_view sql, const Parameters& parameters,
                              std::string_view format, size_t max_bytes = SIZE_MAX);

}  // namespace auscult::store
