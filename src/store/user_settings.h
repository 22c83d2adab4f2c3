// The settings a user may choose for one statement: how it prints, and limits below the server's.
#pragma once

#include <string>
#include <string_view>

#include "store/engine.h"

namespace auscult::store {

// The most that a user may have; a higher value, or 0 for no limit, becomes this one.
struct UserLimits {
  uint64_t max_seconds = 60;
  uint64_t max_memory_bytes = 0;
  uint64_t max_result_rows = 0;
  uint64_t max_result_bytes = 0;
  uint64_t max_threads = 4;
};

// Whether it changes nothing but the statement's own answer: not where it reads or writes, and not
// what is refused.
bool is_user_setting(std::string_view name);

// The value, or the most that `limits` allow it to be.
std::string limited_setting(std::string_view name, std::string_view value,
                            const UserLimits& limits);

// "SET a = '1', b = '2'", or empty when there are none. Every name is one that is_user_setting()
// knows; values may hold anything.
std::string set_statement(const Parameters& settings, const UserLimits& limits);

}  // namespace auscult::store
