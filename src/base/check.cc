#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace auscult {

void check_failed(const char* condition, const char* why, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: CHECK(%s) failed: %s\n", file, line, condition, why);
  std::abort();
}

}  // namespace auscult
