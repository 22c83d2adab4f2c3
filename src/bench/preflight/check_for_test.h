// Runs one preflight check by name, for its test.
#pragma once

#include "base/check.h"
#include "bench/preflight.h"

namespace auscult::bench {

inline PreflightFinding check_named(std::string_view name, const PreflightContext& context) {
  const auto table = all_preflight();
  const Preflight* preflight = find_named(table, name);
  CHECK(preflight != nullptr, "the check exists");
  return preflight->check(context);
}

}  // namespace auscult::bench
