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

  // The trimmed content of a small file, or nothing when it is absent or unreadable: many files of
  // /sys exist but answer EINVAL while a device is down. At most one page, in one read, which is
  // how the kernel gives them.
  std::optional<std::string> value(const char* name) const;
  std::optional<double> number(const char* name) const;

  explicit operator bool() const { return bool(folder_); }

 private:
  FileDescriptor folder_;
};

model::Sample counter(std::string_view metric, double value, model::Labels labels = {});
model::Sample gauge(std::string_view metric, double value, model::Labels labels = {});

// corrupt "<relative>:<line>: <what>".
Error malformed(std::string_view relative, size_t line, std::string_view what);

}  // namespace auscult::collect
