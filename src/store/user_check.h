// The check of a user's statement, on the connection that will run it.
#pragma once

#include <string>

#include "store/connection_pool.h"
#include "store/engine.h"

namespace auscult::store {

struct CheckedSql {
  std::string sql;        // to run; SHOW has become a SELECT
  std::string format;     // of its FORMAT clause; empty: it has none
  std::string exception;  // why it must not run, as ClickHouse says it; empty: it may
  Error error;            // the same for people
};

// Runs nothing of the statement itself. `parameters` are escaped.
CheckedSql check_user_sql(const Libchdb& library, const ConnectionPool::Lease& connection,
                          const std::string& sql, const Parameters& parameters);

}  // namespace auscult::store
