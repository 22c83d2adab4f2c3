// Files: whole reads, atomic writes, listings. Paths in every message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace auscult {

// The content; not_found if there is no such file, invalid_input if it is longer than the limit.
// Works for /proc and /sys, whose files say they are empty.
Result<std::string> read_file(const std::filesystem::path& path,
                              size_t max_bytes = size_t{64} << 20U);

// Replaces the file or leaves it as it was: writes beside it, then renames. `sync` also survives a
// power cut. `mode` is what a secret needs from its first byte: 0600. Thread-safe.
Result<Ok> write_file(const std::filesystem::path& path, std::string_view content,
                      bool sync = false, unsigned mode = 0644);
// As above, of the pieces one behind the other.
Result<Ok> write_file(const std::filesystem::path& path, std::span<const std::string_view> pieces,
                      bool sync = false, unsigned mode = 0644);

// Names of the entries of a folder, sorted; empty if there is no such folder.
std::vector<std::string> list_folder(const std::filesystem::path& path);

// Creates a folder and its parents with the given mode for the last; an existing one is fine.
Result<Ok> make_folder(const std::filesystem::path& path, unsigned mode = 0755);

// A file descriptor that closes itself.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    reset(other.release());
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { reset(); }

  explicit operator bool() const { return fd_ >= 0; }
  int get() const { return fd_; }
  int release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

// "reading /x: No such file or directory", with the code that errno stands for.
Error errno_error(std::string_view doing, const std::filesystem::path& path);

}  // namespace auscult
