#include "store/library_checksum.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <vector>

#include "base/file.h"

namespace auscult::store {
namespace {

constexpr std::string_view fetch_hint =
    "fetch it with `make libchdb` (tools/fetch-libchdb, 178 MB) or name one with AUSCULT_LIBCHDB";

// What identifies a file's state without reading it.
std::string stamp_of(const struct stat& status, std::string_view sha512) {
  const int64_t changed_ns =
      int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  return std::to_string(status.st_size) + " " + std::to_string(changed_ns) + " " +
         std::to_string(status.st_ino) + " " + std::string(sha512) + "\n";
}

std::string to_hex(const unsigned char* bytes, size_t size) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < size; ++i) {
    text += digits[bytes[i] >> 4U];
    text += digits[bytes[i] & 15U];
  }
  return text;
}

}  // namespace

Result<std::string> sha512_of_file(const std::filesystem::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return errno_error("reading", path);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        EVP_MD_CTX_free);
  EVP_DigestInit_ex(context.get(), EVP_sha512(), nullptr);
  std::vector<char> buffer(size_t{1} << 20U);
  while (true) {
    const ssize_t n = ::read(file.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error("reading", path);
    if (n == 0) break;
    EVP_DigestUpdate(context.get(), buffer.data(), static_cast<size_t>(n));
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_DigestFinal_ex(context.get(), digest.data(), &size);
  return to_hex(digest.data(), size);
}

Result<Ok> verify_library(const std::filesystem::path& path, const LibraryChecksum& pinned) {
  struct stat status = {};
  if (path.empty() || ::stat(path.c_str(), &status) != 0) {
    return Error{ErrorCode::not_found, "no embedded ClickHouse" +
                                           (path.empty() ? "" : " at " + path.string()) + ": " +
                                           std::string(fetch_hint)};
  }
  if (pinned.sha512.empty()) {
    return Error{ErrorCode::invalid_input,
                 "no checksum of the embedded ClickHouse is known for this processor, so " +
                     path.string() + " is not opened: use an x86-64 machine for the store"};
  }
  const auto wrong = [&](const std::string& what) {
    return Error{ErrorCode::corrupt, path.string() + " is not the pinned libchdb (" + what +
                                         "): " + std::string(fetch_hint)};
  };
  if (static_cast<uint64_t>(status.st_size) != pinned.size_bytes) {
    return wrong(std::to_string(status.st_size) + " bytes, not " +
                 std::to_string(pinned.size_bytes));
  }
  const std::filesystem::path stamp_path = path.string() + ".verified";
  const std::string stamp = stamp_of(status, pinned.sha512);
  if (const auto known = read_file(stamp_path, 4096); known && *known == stamp) return Ok{};
  if (TRY(sha512_of_file(path)) != pinned.sha512) return wrong("its sha512 differs");
  // Without the stamp the next start reads the file again: slower, and just as right.
  (void)write_file(stamp_path, stamp);
  return Ok{};
}

}  // namespace auscult::store
