// Is this file the library that was pinned? A file of 566 MB is hashed once, then remembered.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace auscult::store {

struct LibraryChecksum {
  uint64_t size_bytes = 0;
  std::string_view sha512;  // hexadecimal; empty: none is known for this processor
};

// Ok when the file has this checksum. Its size, inode and time of change are kept with the checksum
// in `<path>.verified` beside it, and only a file that differs from them is read again; where that
// folder cannot be written it is read each time. The error, one line, says what is wrong and which
// command fetches the library.
Result<Ok> verify_library(const std::filesystem::path& path, const LibraryChecksum& pinned);

// Hexadecimal SHA-512 of a file's content, read in pieces.
Result<std::string> sha512_of_file(const std::filesystem::path& path);

}  // namespace auscult::store
