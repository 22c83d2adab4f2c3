// What a person may ask the store: reads of its own tables, nothing that reaches outside.
#pragma once

#include <string_view>

#include "base/result.h"

namespace auscult::store {

// The longest statement a user may send; ClickHouse's parser has the same limit.
inline constexpr size_t max_user_sql_bytes = size_t{256} << 10U;

// Judges a statement by the text of `EXPLAIN AST <statement>`, one node a line, children indented.
// Whatever is not known to be harmless is refused: kinds of nodes, table functions, databases and
// system tables are lists of what is allowed; functions, of which there are 1,500, a list of those
// that are not. invalid_input names what was refused.
Result<Ok> check_user_ast(std::string_view tree);

}  // namespace auscult::store
