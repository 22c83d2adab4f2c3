// Committer: brings a group into the engine, whole and once, also when an earlier attempt ended
// somewhere in the middle.
#pragma once

#include <string>

#include "base/result.h"
#include "store/engine.h"
#include "store/group.h"

namespace auscult::store {

// Inserts the blocks, each under the token "<stamp>-<table>".
Result<Ok> commit_first(Engine& engine, const Group& group);

// For a group that an earlier attempt may have written in part. Tokens alone do not do: the engine
// notes a token before it names the part that carries the rows, and a process killed between the
// two leaves a token without rows (seen with strace). So the rows that bear the group's stamp are
// counted after the insert under the old token; where some are missing, what there is of the block
// is deleted and the block goes in under a new token, which ends in `attempt`: give each call one
// of its own.
Result<Ok> commit_again(Engine& engine, const Group& group, const std::string& attempt);

}  // namespace auscult::store
