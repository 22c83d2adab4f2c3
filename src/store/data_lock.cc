#include "store/data_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <string>

#include "base/text.h"

namespace auscult::store {

Result<DataLock> DataLock::lock(const std::filesystem::path& folder) {
  const std::string advice = ": choose another folder with --data";
  if (auto made = make_folder(folder); !made) {
    return Error{ErrorCode::invalid_input, made.error().message + advice};
  }
  const std::filesystem::path path = folder / "auscult.lock";
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!file) {
    return Error{ErrorCode::invalid_input, errno_error("writing", path).message + advice};
  }
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    std::string owner;
    if (const auto text = read_file(path, 64); text && to_uint(trim(*text))) {
      owner = " (pid " + std::string(trim(*text)) + ")";
    }
    return Error{ErrorCode::unavailable, "store " + folder.string() +
                                             " is in use by another process" + owner +
                                             ": stop it or choose another --data"};
  }
  // The name only helps the reader of a message; the lock is what counts.
  const std::string name = std::to_string(::getpid()) + "\n";
  if (::ftruncate(file.get(), 0) != 0 ||
      ::pwrite(file.get(), name.data(), name.size(), 0) != static_cast<ssize_t>(name.size())) {
    (void)::ftruncate(file.get(), 0);
  }
  return DataLock(std::move(file));
}

}  // namespace auscult::store
