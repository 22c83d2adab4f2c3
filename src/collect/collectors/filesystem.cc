// Size and free space of mounted file systems, from /proc/1/mountinfo and statfs(2).
#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "collect/host_file.h"

namespace auscult::collect {
namespace {

// node_exporter's defaults: file systems that have no space of their own.
constexpr std::array<std::string_view, 27> excluded_types = {
    "autofs", "binfmt_misc", "bpf",       "cgroup",   "cgroup2",    "configfs", "debugfs",
    "devpts", "devtmpfs",    "erofs",     "fusectl",  "hugetlbfs",  "iso9660",  "mqueue",
    "nsfs",   "overlay",     "proc",      "procfs",   "pstore",     "ramfs",    "rpc_pipefs",
    "sysfs",  "securityfs",  "selinuxfs", "squashfs", "fuse.lxcfs", "tracefs"};
constexpr std::array<std::string_view, 3> excluded_mounts = {"/dev", "/proc", "/sys"};
constexpr std::array<std::string_view, 3> excluded_below = {"/run/credentials/", "/var/lib/docker/",
                                                            "/var/lib/containers/storage/"};
// statfs(2) on these can block for ever when their server is gone, and the collection with it.
constexpr std::array<std::string_view, 12> remote_types = {"nfs",  "nfs4",   "cifs",      "smb3",
                                                           "ceph", "lustre", "gpfs",      "beegfs",
                                                           "9p",   "afs",    "glusterfs", "fuse"};

template <size_t N>
bool contains(const std::array<std::string_view, N>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

struct Mount {
  std::string device, point, type;
  bool read_only = false;
  auto operator<=>(const Mount&) const = default;
};

bool is_excluded(const Mount& mount) {
  for (const auto prefix : excluded_mounts) {
    if (mount.point == prefix || mount.point.starts_with(std::string(prefix) + "/")) return true;
  }
  for (const auto prefix : excluded_below) {
    if (mount.point.starts_with(prefix)) return true;
  }
  return contains(excluded_types, mount.type);
}

bool is_remote(const Mount& mount) {
  return contains(remote_types, mount.type) || mount.type.starts_with("fuse.");
}

// "\040" is a blank: the kernel writes blanks, tabs, newlines and backslashes in octal.
std::string unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto octal = [&](size_t at) {
      return at < text.size() && text[at] >= '0' && text[at] <= '7';
    };
    if (text[i] == '\\' && octal(i + 1) && octal(i + 2) && octal(i + 3)) {
      const int code = (text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0');
      out += static_cast<char>(code);
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

// Fields: id, parent, major:minor, root, mount point, options, [optional ...], -, type, source,
// super options.
std::optional<Mount> parse_mount(std::string_view line) {
  const auto fields = words(line);
  const auto dash = std::find(fields.begin(), fields.end(), "-");
  if (fields.size() < 9 || fields.end() - dash < 3) return {};
  const auto has_ro = [](std::string_view options) {
    const auto all = split(options, ',');
    return std::find(all.begin(), all.end(), "ro") != all.end();
  };
  const bool super_ro = fields.end() - dash > 3 && has_ro(dash[3]);
  return Mount{.device = unescape(dash[2]),
               .point = unescape(fields[4]),
               .type = std::string(dash[1]),
               .read_only = has_ro(fields[5]) || super_ro};
}

void add_space(const Mount& mount, const model::Labels& labels, model::Samples& samples) {
  struct statvfs space {};
  const bool failed = ::statvfs(mount.point.c_str(), &space) != 0;
  samples.push_back(gauge("node_filesystem_device_error", failed ? 1 : 0, labels));
  if (failed) return;
  const auto bytes = [&](fsblkcnt_t blocks) {
    return static_cast<double>(blocks) * static_cast<double>(space.f_frsize);
  };
  samples.push_back(gauge("node_filesystem_size_bytes", bytes(space.f_blocks), labels));
  samples.push_back(gauge("node_filesystem_free_bytes", bytes(space.f_bfree), labels));
  samples.push_back(gauge("node_filesystem_avail_bytes", bytes(space.f_bavail), labels));
  samples.push_back(gauge("node_filesystem_files", static_cast<double>(space.f_files), labels));
  samples.push_back(
      gauge("node_filesystem_files_free", static_cast<double>(space.f_ffree), labels));
}

Result<model::Samples> read(const Host& host) {
  constexpr std::string_view file = "proc/1/mountinfo";
  constexpr std::string_view own_file = "proc/self/mountinfo";
  auto of_init = read_host_file(host, file);
  // Another user's process 1 may not be read.
  const std::string text =
      of_init && !of_init->empty() ? *std::move(of_init) : TRY(read_host_file(host, own_file));
  model::Samples samples;
  std::set<Mount> seen;
  size_t line_number = 0;
  for (const auto line : split(text, '\n')) {
    ++line_number;
    if (trim(line).empty()) continue;
    const auto mount = parse_mount(line);
    if (!mount) return malformed(file, line_number, "too few columns");
    if (is_excluded(*mount) || !seen.insert(*mount).second) continue;
    const model::Labels labels = {
        {"device", mount->device}, {"fstype", mount->type}, {"mountpoint", mount->point}};
    samples.push_back(gauge("node_filesystem_readonly", mount->read_only ? 1 : 0, labels));
    // The space of a recorded host is not this host's: a recorded tree gives none.
    if (host.root == "/" && !is_remote(*mount)) add_space(*mount, labels, samples);
  }
  return samples;
}

}  // namespace

Collector filesystem() { return {.summary = "file systems: size, free space", .read = read}; }

}  // namespace auscult::collect
