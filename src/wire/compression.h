// Compression: gzip, zstd and snappy with a bound on what comes out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace auscult::wire {

// `encoding` is a Content-Encoding: "", identity, gzip, deflate or zstd. invalid_input: unknown
// encoding, broken or truncated stream, trailing garbage, or more than `max_bytes` (stops there, so
// a bomb costs at most the bound).
Result<std::string> decompress(std::string_view encoding, std::string_view body, size_t max_bytes);

// "gzip" or "zstd".
Result<std::string> compress(std::string_view encoding, std::string_view body);

// One block of snappy without framing: what Prometheus means by "Content-Encoding: snappy".
// invalid_input: a broken block, or one that claims more than `max_bytes` or more than its own size
// can hold. The claim is judged before anything is allocated.
Result<std::string> snappy_decompress(std::string_view body, size_t max_bytes);
std::string snappy_compress(std::string_view body);

}  // namespace auscult::wire
