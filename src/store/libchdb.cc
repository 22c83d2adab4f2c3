#include "store/libchdb.h"

#include <dlfcn.h>

#include <mutex>
#include <string>

#include "store/library_checksum.h"

namespace auscult::store {
namespace {

// libchdb.so of the npm package @chdb/lib-linux-x64-gnu, 26.7.3-stable.1. tools/fetch-libchdb has
// the checksum of the archive it comes in.
#if defined(__x86_64__)
constexpr LibraryChecksum pinned = {
    .size_bytes = 566'330'096,
    .sha512 =
        "0a5e6af5cf57034116d34a39480989a160dd105f372d85aa748f8d2b0a5ebd52"
        "a90d913737d7ae86f6f597d37fe06d3a4d22125c13c5aa961d91aa93d034751e"};
#else
constexpr LibraryChecksum pinned = {};  // no checksum is known for this processor
#endif

// Stops the library's threads before the process runs its destructors. Made after dlopen, so that
// it is destroyed before the library's own objects.
struct ShutdownAtExit {
  const Libchdb& library;
  ~ShutdownAtExit() { library.shutdown(); }
};

// The sanitizers replace the allocator that the library brings along: it crashes while it is opened
// (tried with g++ 12).
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

template <typename Function>
bool find(void* handle, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, symbol));
  return function != nullptr;
}

Result<Ok> find_all(void* handle, Libchdb& library) {
  const bool complete =
      find(handle, "chdb_set_signal_handlers_enabled", library.set_signal_handlers_enabled) &&
      find(handle, "chdb_connect", library.connect) &&
      find(handle, "chdb_close_conn", library.close_connection) &&
      find(handle, "chdb_shutdown", library.shutdown) &&
      find(handle, "chdb_classify_query_n", library.classify_query) &&
      find(handle, "chdb_query_with_params_n", library.query_with_params) &&
      find(handle, "chdb_stream_insert_n", library.stream_insert) &&
      find(handle, "chdb_stream_insert_error", library.stream_insert_error) &&
      find(handle, "chdb_stream_append", library.stream_append) &&
      find(handle, "chdb_stream_done", library.stream_done) &&
      find(handle, "chdb_destroy_insert_stream", library.destroy_insert_stream) &&
      find(handle, "chdb_result_buffer", library.result_buffer) &&
      find(handle, "chdb_result_length", library.result_length) &&
      find(handle, "chdb_result_error", library.result_error) &&
      find(handle, "chdb_result_elapsed", library.result_elapsed) &&
      find(handle, "chdb_result_rows_read", library.result_rows) &&
      find(handle, "chdb_result_storage_rows_read", library.result_storage_rows_read) &&
      find(handle, "chdb_result_storage_bytes_read", library.result_storage_bytes_read) &&
      find(handle, "chdb_result_rows_written", library.result_rows_written) &&
      find(handle, "chdb_destroy_query_result", library.destroy_result);
  if (complete) return Ok{};
  const char* why = dlerror();
  return Error{ErrorCode::corrupt, why == nullptr ? "a function is missing" : why};
}

}  // namespace

Result<const Libchdb*> Libchdb::load(const std::filesystem::path& path) {
  static std::mutex mutex;
  static Libchdb library;
  static std::filesystem::path loaded;
  const std::lock_guard lock(mutex);
  if (!loaded.empty()) {
    if (path == loaded) return &library;
    return Error{ErrorCode::invalid_input, "this process already uses " + loaded.string() +
                                               ", it cannot use " + path.string() + " as well"};
  }
  if (sanitized) {
    return Error{ErrorCode::unavailable,
                 "the embedded ClickHouse cannot be opened in a program built with a sanitizer"};
  }
  TRY(verify_library(path, pinned));
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    return Error{ErrorCode::unavailable, "opening the embedded ClickHouse: " +
                                             std::string(why == nullptr ? path.c_str() : why)};
  }
  TRY(find_all(handle, library), path.string());
  // The program decides what a signal does, not a library in it.
  library.set_signal_handlers_enabled(0);
  static const ShutdownAtExit shutdown_at_exit{library};
  loaded = path;
  return &library;
}

}  // namespace auscult::store
