// What a person may ask the store: reads of its own tables, nothing that reaches outside.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace auscult::store {

// The longest statement a user may send; ClickHouse's parser has the same limit.
inline constexpr size_t max_user_sql_bytes = size_t{256} << 10U;

// Judges a statement by the text of `EXPLAIN AST <statement>`, one node a line, children indented.
// Whatever is not known to be harmless is refused: kinds of nodes, table functions, databases and
// system tables are lists of what is allowed; functions, of which there are 1,500, a list of those
// that are not. The answer is the name in the FORMAT clause, empty when there is none.
// invalid_input names what was refused.
Result<std::string> check_user_ast(std::string_view tree);

// SHOW DATABASES and SHOW TABLES [FROM database], with or without FORMAT, as a SELECT with the same
// column `name`: the tree of SHOW hides the expression of its WHERE. Nothing for any other text.
std::optional<std::string> show_as_select(std::string_view sql);

}  // namespace auscult::store
