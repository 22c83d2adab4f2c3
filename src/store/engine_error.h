// What ClickHouse says when it fails, as an Error a caller can decide on.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace auscult::store {

// `message` is "Code: 243. DB::Exception: ...": its first sentence in one line, without the version
// and without the list of every word the parser would have liked. The code is unavailable where the
// same statement can succeed later (disk or memory full, too many parts, a time limit),
// invalid_input where the statement is at fault, else internal.
Error engine_error(std::string_view message);

}  // namespace auscult::store
