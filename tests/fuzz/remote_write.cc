// Fuzzing: a remote write request, as it is and packed by snappy.
#include "wire/remote_write.h"

#include <string_view>

#include "base/check.h"
#include "wire/compression.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auscult::model::PlainSeriesIndex index;
  (void)auscult::wire::decode_remote_write(bytes, {}, index);
  const auto write =
      auscult::wire::decode_remote_write(auscult::wire::snappy_compress(bytes), {}, index);
  if (write) {
    for (const auto* series : write->points.series)
      CHECK(series != nullptr, "points have a series");
  }
  return 0;
}
