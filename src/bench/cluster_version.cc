// What a run was made with, as far as /proc and /sys tell.
#include <sys/utsname.h>

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "bench/benchmark.h"
#include "bench/host.h"

namespace auscult::bench {
namespace {

namespace fs = std::filesystem;

std::string read_or_empty(const fs::path& path) {
  auto content = read_file(path);
  return content ? *std::move(content) : std::string();
}

// The value of the first "key <separator> value" line, without quotes.
std::string value_of(std::string_view text, std::string_view key, char separator) {
  for (const auto line : split(text, '\n')) {
    const auto at = line.find(separator);
    if (at == std::string_view::npos || trim(line.substr(0, at)) != key) continue;
    std::string_view value = trim(line.substr(at + 1));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
      value = value.substr(1, value.size() - 2);
    }
    return std::string(value);
  }
  return {};
}

// "Linux version 6.1.0-18-amd64 (debian-kernel@...) ..."
std::string kernel(const fs::path& root) {
  const std::string text = first_line(root / "proc/version");
  const auto fields = words(text);
  if (fields.size() >= 3) return std::string(fields[2]);
  utsname name{};
  return ::uname(&name) == 0 ? name.release : std::string();
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 ..."
std::string nvidia_driver(const fs::path& root) {
  const std::string text = first_line(root / "proc/driver/nvidia/version");
  for (const auto word : words(text)) {
    if (word.find('.') == std::string_view::npos) continue;
    const bool is_version = std::all_of(word.begin(), word.end(),
                                        [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
    if (is_version) return std::string(word);
  }
  return {};
}

// "mlx5_0 28.39.1002, mlx5_1 28.39.1002"
std::string rdma_firmware(const fs::path& root) {
  const fs::path folder = root / "sys/class/infiniband";
  std::string text;
  for (const auto& device : list_folder(folder)) {
    const std::string version = first_line(folder / device / "fw_ver");
    if (version.empty()) continue;
    if (!text.empty()) text += ", ";
    text += device;
    text += ' ';
    text += version;
  }
  return text;
}

}  // namespace

model::Labels cluster_version(const fs::path& root) {
  const std::string cpuinfo = read_or_empty(root / "proc/cpuinfo");
  const std::pair<std::string_view, std::string> facts[] = {
      {"kernel", kernel(root)},
      {"os", value_of(read_or_empty(root / "etc/os-release"), "PRETTY_NAME", '=')},
      {"cpu_model", value_of(cpuinfo, "model name", ':')},
      {"microcode", value_of(cpuinfo, "microcode", ':')},
      {"cpu_governor", first_line(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")},
      {"driver", nvidia_driver(root)},
      {"firmware", rdma_firmware(root)},
  };
  model::Labels labels;
  for (const auto& [name, value] : facts) {
    if (!value.empty()) labels.emplace_back(std::string(name), value);
  }
  model::normalise(labels);
  return labels;
}

}  // namespace auscult::bench
