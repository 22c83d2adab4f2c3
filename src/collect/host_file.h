// What every collector needs: files under a host's root, and samples to put their numbers in.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"
#include "collect/collector.h"
#include "model/sample.h"

namespace auscult::collect {

// The content of <root>/<relative>; empty when the host has no such file, which is a fact about the
// host and not an error.
Result<std::string> read_host_file(const Host& host, std::string_view relative);

// A folder of /sys or /proc whose files are read one after the other. Opening it once makes each of
// them half as dear: the kernel need not walk the whole path again.
class Folder {
 public:
  explicit Folder(const std::filesystem::path& path);
  Folder(const Folder& parent, const std::string& name);

  // As above, and keeps the files it reads open from one collection to the next, where the host
  // keeps any: reading again is a third of opening, reading and closing. At most max_kept_files on
  // a host; then they are let go and the keeping begins anew.
  Folder(const Folder& parent, const std::string& name, const Host& host);

  // The trimmed content of a small file, or nothing when it is absent or unreadable: many files of
  // /sys exist but answer EINVAL while a device is down. At most one page, in one read, which is
  // how the kernel gives them.
  std::optional<std::string> value(const char* name) const;

  // As above; decimal, or hexadecimal behind 0x, as /sys has it.
  std::optional<double> number(const char* name) const;

  explicit operator bool() const { return bool(folder_); }

 private:
  std::optional<std::string> kept_value(const char* name) const;

  FileDescriptor folder_;
  OpenFiles* open_files_ = nullptr;
  std::string key_;  // of this folder itself, whatever name it has: its inode
};

// A node with hundreds of virtual interfaces must not run out of descriptors (1,024 by default).
inline constexpr size_t max_kept_files = 400;

model::Sample counter(std::string_view metric, double value, model::Labels labels = {});
model::Sample gauge(std::string_view metric, double value, model::Labels labels = {});

// corrupt "<relative>:<line>: <what>".
Error malformed(std::string_view relative, size_t line, std::string_view what);

}  // namespace auscult::collect
