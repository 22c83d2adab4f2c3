#include "grpc/message.h"

#include <string_view>
#include <utility>

#include "wire/compression.h"

namespace auscult::grpc {
namespace {

// The first byte of gzip, and that of framed snappy, have a wire type that protobuf does not know;
// that of zstd is a field 5, which no export has.
std::string_view encoding_of(std::string_view message) {
  if (message.starts_with("\x1f\x8b")) return "gzip";
  if (message.starts_with("\x28\xb5\x2f\xfd")) return "zstd";
  if (message.starts_with("\xff\x06")) return "snappy";
  return "";
}

}  // namespace

Result<std::string> unpack(std::string message, size_t max_bytes) {
  const auto encoding = encoding_of(message);
  if (encoding == "snappy") {
    return Error{ErrorCode::invalid_input, "the message is packed by snappy: use gzip or zstd"};
  }
  if (encoding.empty() && message.size() <= max_bytes) return message;
  return wire::decompress(encoding, message, max_bytes);
}

}  // namespace auscult::grpc
