// Messages: what came over the wire, unpacked within a bound.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace auscult::grpc {

// The export in `message`, which may be packed by gzip or zstd. gRPC does not tell a callback
// service whether it is, and lets pass what it does not know, but the bytes tell: an export starts
// with its field 1. invalid_input: broken, packed by framed snappy, or more than `max_bytes`.
Result<std::string> unpack(std::string message, size_t max_bytes);

}  // namespace auscult::grpc
