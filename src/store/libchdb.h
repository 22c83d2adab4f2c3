// Libchdb: the embedded ClickHouse as a shared library, opened at run time. The only door to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "base/result.h"

namespace auscult::store {

// The dozen functions of libchdb's C API that are used. Their signatures are those of chdb-core's
// programs/local/chdb.h at version 26.7; the package ships no header. A Handle is an opaque object
// of the library.
struct Libchdb {
  using Handle = void*;
  using Connection = void*;

  struct Analysis {  // chdb_query_analysis_v1
    uint32_t struct_size = sizeof(Analysis);
    uint32_t statement_count = 0;
    uint32_t flags = 0;
    uint32_t query_class = 0;  // 0: only reads
  };

  void (*set_signal_handlers_enabled)(int) = nullptr;
  Connection* (*connect)(int, char**) = nullptr;  // null on failure; the reason goes to stderr
  void (*close_connection)(Connection*) = nullptr;
  int (*shutdown)() = nullptr;
  int (*classify_query)(Connection, const char*, size_t, const char*, size_t, Analysis*) = nullptr;
  Handle (*query_with_params)(Connection, const char*, size_t, const char*, size_t,
                              const char* const*, const size_t*, const char* const*, const size_t*,
                              size_t) = nullptr;
  Handle (*stream_insert)(Connection, const char*, size_t, const char*, size_t) = nullptr;
  const char* (*stream_insert_error)(Handle) = nullptr;
  int (*stream_append)(Handle, const void*, size_t) = nullptr;
  Handle (*stream_done)(Handle) = nullptr;
  void (*destroy_insert_stream)(Handle) = nullptr;
  char* (*result_buffer)(Handle) = nullptr;
  size_t (*result_length)(Handle) = nullptr;
  const char* (*result_error)(Handle) = nullptr;
  double (*result_elapsed)(Handle) = nullptr;  // s
  uint64_t (*result_rows)(Handle) = nullptr;   // rows of the result
  uint64_t (*result_storage_rows_read)(Handle) = nullptr;
  uint64_t (*result_storage_bytes_read)(Handle) = nullptr;
  uint64_t (*result_rows_written)(Handle) = nullptr;
  void (*destroy_result)(Handle) = nullptr;

  // The library of this process: the first call verifies the file's checksum and opens it, later
  // ones return the same; another path later is an error. Never unloaded; its threads are stopped
  // when the process exits. Thread-safe.
  static Result<const Libchdb*> load(const std::filesystem::path& path);
};

}  // namespace auscult::store
