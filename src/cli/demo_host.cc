#include "cli/demo_host.h"

#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "cli/illness.h"

namespace auscult::cli {
namespace {

namespace fs = std::filesystem;

Error not_ours(const fs::path& folder, const std::string& why) {
  return {ErrorCode::invalid_input, folder.string() + " " + why + ": choose another --data"};
}

// The triggers that should notice these illnesses read the kernel's pressure figures: without them
// the demo would wait in vain, or call a host quiet that nobody listened to.
Result<Ok> check_pressure(const std::string& fault, const fs::path& root) {
  std::vector<std::string> needed;
  if (fault == "disk" || fault == "none") needed.emplace_back("io");
  if (fault == "cpu" || fault == "none") needed.emplace_back("cpu");
  for (const auto& name : needed) {
    const auto file = root / "proc/pressure" / name;
    if (const auto text = read_file(file); !text) {
      return Error{ErrorCode::unavailable,
                   "this kernel gives no pressure stall information, by which --fault " + fault +
                       " would be noticed (" + text.error().message +
                       "): boot with psi=1, or use --fault memory"};
    }
  }
  return Ok{};
}

}  // namespace

Result<Ok> claim_folder(const fs::path& given) {
  // "a/b/" means a/b; with the slash a link would be followed.
  const fs::path folder = given.has_filename() ? given : given.parent_path();
  if (folder.has_parent_path()) TRY(make_folder(folder.parent_path()));
  if (::mkdir(folder.c_str(), 0700) == 0) return Ok{};
  if (errno != EEXIST) return errno_error("creating", folder);
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0) return errno_error("looking at", folder);
  if (S_ISLNK(status.st_mode)) return not_ours(folder, "is a symbolic link");
  if (!S_ISDIR(status.st_mode)) return not_ours(folder, "is no folder");
  if (status.st_uid != ::geteuid()) {
    return not_ours(folder, "belongs to another user, number " + std::to_string(status.st_uid));
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return not_ours(folder, "may be written by others (chmod go-w)");
  }
  return Ok{};
}

Result<Ok> check_demo_host(const std::string& fault, const fs::path& folder, const fs::path& root) {
  constexpr double mib = 1024 * 1024;
  TRY(check_pressure(fault, root));
  struct statfs disk {};
  if (::statfs(folder.c_str(), &disk) != 0) return errno_error("looking at", folder);
  constexpr long tmpfs_magic = 0x01021994;  // linux/magic.h
  if (fault == "disk" && disk.f_type == tmpfs_magic) {
    return Error{ErrorCode::invalid_input,
                 folder.string() + " lies in memory (tmpfs): choose a --data on a disk"};
  }
  const double free_bytes = static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_bsize);
  constexpr double needed_mib = 2048;
  if (free_bytes < needed_mib * mib) {
    return Error{ErrorCode::unavailable, "the demo needs 2 GiB free in " + folder.string() +
                                             ", there are " + format_bytes(free_bytes)};
  }
  const double page_bytes = static_cast<double>(::sysconf(_SC_PAGESIZE));
  const double total_bytes = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * page_bytes;
  if (fault == "memory" && memory_floor_bytes(total_bytes) > total_bytes * 0.4) {
    return Error{ErrorCode::unavailable,
                 "this host has " + format_bytes(total_bytes) +
                     " of memory: too little to fill it and leave 2 GiB, use --fault cpu or disk"};
  }
  return Ok{};
}

}  // namespace auscult::cli
