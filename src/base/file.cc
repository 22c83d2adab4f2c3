#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>

namespace auscult {
namespace {

namespace fs = std::filesystem;

Result<Ok> write_all(int fd, std::string_view content, const fs::path& path) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error("writing", path);
    content.remove_prefix(static_cast<size_t>(n));
  }
  return Ok{};
}

// Makes the rename itself survive a power cut.
Result<Ok> sync_folder(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || ::fsync(opened.get()) != 0) return errno_error("syncing", folder);
  return Ok{};
}

}  // namespace

void FileDescriptor::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

Error errno_error(std::string_view doing, const fs::path& path) {
  const int error = errno;
  const ErrorCode code = error == ENOENT || error == ENOTDIR ? ErrorCode::not_found
                         : error == ENOSPC || error == EDQUOT || error == EAGAIN || error == EMFILE
                             ? ErrorCode::unavailable
                         : error == EACCES || error == EPERM || error == EROFS || error == EISDIR
                             ? ErrorCode::invalid_input
                             : ErrorCode::internal;
  return {code,
          std::string(doing) + " " + path.string() + ": " + std::generic_category().message(error)};
}

Result<std::string> read_file(const fs::path& path, size_t max_bytes) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return errno_error("reading", path);
  std::string content;
  constexpr size_t step = 16384;
  while (true) {
    const size_t old = content.size();
    content.resize(old + step);
    const ssize_t n = ::read(file.get(), content.data() + old, step);
    content.resize(old + static_cast<size_t>(std::max<ssize_t>(n, 0)));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error("reading", path);
    if (n == 0) return content;
    if (content.size() > max_bytes) {
      return Error{ErrorCode::invalid_input, "reading " + path.string() + ": longer than " +
                                                 std::to_string(max_bytes) + " bytes"};
    }
  }
}

Result<Ok> write_file(const fs::path& path, std::string_view content, bool sync, unsigned mode) {
  return write_file(path, std::span(&content, 1), sync, mode);
}

Result<Ok> write_file(const fs::path& path, std::span<const std::string_view> pieces, bool sync,
                      unsigned mode) {
  // Two threads that write one file at a time must not share the one beside it.
  static std::atomic<uint64_t> serial = 0;
  fs::path beside = path;
  beside += ".tmp" + std::to_string(::getpid()) + "." + std::to_string(++serial);
  FileDescriptor file(
      ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, static_cast<mode_t>(mode)));
  if (!file) return errno_error("writing", beside);
  Result<Ok> written = Ok{};
  for (const auto piece : pieces) {
    if (written) written = write_all(file.get(), piece, beside);
  }
  if (written && sync && ::fsync(file.get()) != 0) written = errno_error("syncing", beside);
  // Network file systems tell only here that the disk is full.
  if (::close(file.release()) != 0 && written) written = errno_error("closing", beside);
  if (written && ::rename(beside.c_str(), path.c_str()) != 0) {
    written = errno_error("renaming to", path);
  }
  if (!written) ::unlink(beside.c_str());
  if (written && sync) return sync_folder(path);
  return written;
}

std::vector<std::string> list_folder(const fs::path& path) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto it = fs::directory_iterator(path, error); !error && it != fs::directory_iterator();
       it.increment(error)) {
    names.push_back(it->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<Ok> make_folder(const fs::path& given, unsigned mode) {
  // "a/b/" means a/b.
  const fs::path path = given.has_filename() ? given : given.parent_path();
  std::error_code error;
  if (fs::is_directory(path, error)) return Ok{};
  if (path.has_parent_path() && path.parent_path() != path) {
    fs::create_directories(path.parent_path(), error);
    if (error) {
      errno = error.value();
      return errno_error("creating", path.parent_path());
    }
  }
  if (::mkdir(path.c_str(), static_cast<mode_t>(mode)) != 0 && errno != EEXIST) {
    return errno_error("creating", path);
  }
  if (!fs::is_directory(path, error)) {
    return Error{ErrorCode::invalid_input, "creating " + path.string() + ": there is a file"};
  }
  return Ok{};
}

}  // namespace auscult
