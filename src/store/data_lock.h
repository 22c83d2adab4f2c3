// DataLock: one process at a time in a data folder, and its name for the one that comes second.
#pragma once

#include <filesystem>

#include "base/file.h"
#include "base/result.h"

namespace auscult::store {

// Held from lock() until destroyed, or until the process ends, however it ends.
class DataLock {
 public:
  // Creates the folder if need be. unavailable names the process that has the folder;
  // invalid_input says why the folder cannot be used.
  static Result<DataLock> lock(const std::filesystem::path& folder);

 private:
  explicit DataLock(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

}  // namespace auscult::store
