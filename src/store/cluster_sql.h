// The statements of a single server as those of a cluster: text -> text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace auscult::store {

// What `statement`, of schema/*.sql or of the program, is on every node of `cluster`:
// - a table is auscult.<name>_local, replicated by Keeper, and auscult.<name> distributed over it,
//   by a hash of its sorting key, so that rows which a merge joins meet on one shard;
// - a view, the database and a lightweight DELETE are the same ON CLUSTER; a DELETE is of the local
//   tables, and so is an ALTER that modifies codecs or settings;
// - an INSERT stays as it is: it goes through the distributed table.
// Nodes need the macros {shard} and {replica}. invalid_input: a statement of another kind, or a
// cluster's name that is not letters, digits, '_' and '-'.
Result<std::vector<std::string>> cluster_statements(std::string_view statement,
                                                    std::string_view cluster);

}  // namespace auscult::store
