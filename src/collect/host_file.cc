#include "collect/host_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <system_error>

#include "base/text.h"

namespace auscult::collect {
namespace {

// The longest file of /proc that a collector reads, /proc/stat, is 1 MiB on a host with 4,096
// interrupts and 2,048 CPUs.
constexpr size_t max_host_file_bytes = 8U << 20U;
constexpr size_t read_step = 16U << 10U;
constexpr size_t max_value_bytes = 4096;  // one page: what sysfs can give

// From the beginning, whatever was read of it before.
Result<std::string> read_all(int fd, const std::filesystem::path& path) {
  std::string content;
  std::array<char, read_step> buffer;  // NOLINT(*-member-init): pread() fills it
  while (true) {
    const ssize_t n = ::pread(fd, buffer.data(), buffer.size(), static_cast<off_t>(content.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error("reading", path);
    if (n == 0) return content;
    content.append(buffer.data(), static_cast<size_t>(n));
    if (content.size() > max_host_file_bytes) {
      return Error{ErrorCode::invalid_input, "reading " + path.string() + ": longer than " +
                                                 std::to_string(max_host_file_bytes) + " bytes"};
    }
  }
}

std::optional<double> hexadecimal(std::string_view digits) {
  uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, value, 16);
  if (error != std::errc() || rest != end) return {};
  return static_cast<double>(value);
}

}  // namespace

Result<std::string> read_host_file(const Host& host, std::string_view relative) {
  // Files outside /proc are replaced under the same name, and an open one would be the old one.
  const bool keep = host.open_files != nullptr && relative.starts_with("proc/");
  if (keep) {
    const auto open = host.open_files->find(relative);
    if (open != host.open_files->end()) {
      auto content = read_all(open->second.get(), host.root / relative);
      if (content) return content;
      host.open_files->erase(open);  // /proc/1 of another process 1, say: try it by its name
    }
  }
  const auto path = host.root / relative;
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) {
    auto error = errno_error("reading", path);
    if (error.code == ErrorCode::not_found) return std::string();
    return error;
  }
  auto content = read_all(file.get(), path);
  if (keep && content) host.open_files->emplace(relative, std::move(file));
  return content;
}

Folder::Folder(const std::filesystem::path& path)
    : folder_(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

Folder::Folder(const Folder& parent, const std::string& name)
    : folder_(::openat(parent.folder_.get(), name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

Folder::Folder(const Folder& parent, const std::string& name, const Host& host)
    : Folder(parent, name) {
  struct stat status {};
  if (host.open_files == nullptr || !folder_ || ::fstat(folder_.get(), &status) != 0) return;
  open_files_ = host.open_files;
  key_ = std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino) + "/";
}

std::optional<std::string> Folder::value(const char* name) const {
  if (open_files_ != nullptr) return kept_value(name);
  const FileDescriptor file(::openat(folder_.get(), name, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return {};
  std::array<char, max_value_bytes> buffer;  // NOLINT(*-member-init): read() fills it
  const ssize_t n = ::read(file.get(), buffer.data(), buffer.size());
  if (n < 0) return {};
  return std::string(trim({buffer.data(), static_cast<size_t>(n)}));
}

std::optional<std::string> Folder::kept_value(const char* name) const {
  const std::string key = key_ + name;
  auto kept = open_files_->find(key);
  if (kept == open_files_->end()) {
    FileDescriptor file(::openat(folder_.get(), name, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file) return {};
    if (open_files_->size() >= max_kept_files) open_files_->clear();
    kept = open_files_->emplace(key, std::move(file)).first;
  }
  std::array<char, max_value_bytes> buffer;  // NOLINT(*-member-init): pread() fills it
  const ssize_t n = ::pread(kept->second.get(), buffer.data(), buffer.size(), 0);
  if (n < 0) {
    // ENODEV: the device is gone. EINVAL is an answer of a device that is down.
    if (errno == ENODEV) open_files_->erase(kept);
    return {};
  }
  return std::string(trim({buffer.data(), static_cast<size_t>(n)}));
}

std::optional<double> Folder::number(const char* name) const {
  const auto text = value(name);
  if (!text) return {};
  return text->starts_with("0x") ? hexadecimal(std::string_view(*text).substr(2))
                                 : to_double(*text);
}

model::Sample counter(std::string_view metric, double value, model::Labels labels) {
  return {.metric = std::string(metric),
          .labels = std::move(labels),
          .value = value,
          .kind = model::MetricKind::counter};
}

model::Sample gauge(std::string_view metric, double value, model::Labels labels) {
  return {.metric = std::string(metric),
          .labels = std::move(labels),
          .value = value,
          .kind = model::MetricKind::gauge};
}

Error malformed(std::string_view relative, size_t line, std::string_view what) {
  return {ErrorCode::corrupt,
          std::string(relative) + ":" + std::to_string(line) + ": " + std::string(what)};
}

}  // namespace auscult::collect
