// Whether a test program can open the embedded ClickHouse.
#pragma once

#include <filesystem>
#include <string>

#include "store/libchdb.h"

namespace auscult::store {

// Why not, or empty. `path`: of libchdb.so, null where nobody said. A library that is there and is
// broken is no reason: that test fails.
inline std::string why_no_library(const char* path) {
  std::error_code error;
  if (path == nullptr || !std::filesystem::exists(path, error)) {
    return "no libchdb.so: run tools/fetch-libchdb";
  }
  const auto loaded = Libchdb::load(path);
  const bool sanitized = !loaded && loaded.error().message.find("sanitizer") != std::string::npos;
  return sanitized ? loaded.error().message : "";
}

}  // namespace auscult::store
