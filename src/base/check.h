// CHECK(condition, "why"): what cannot happen. Prints and aborts, in release too; never for bad
// input.
#pragma once

namespace auscult {

[[noreturn]] void check_failed(const char* condition, const char* why, const char* file, int line);

}  // namespace auscult

#define CHECK(condition, why)                                                       \
  do {                                                                              \
    if (!(condition)) ::auscult::check_failed(#condition, why, __FILE__, __LINE__); \
  } while (false)
