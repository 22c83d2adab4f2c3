#include "wire/compression.h"

#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <memory>

namespace auscult::wire {
namespace {

constexpr size_t step_bytes = size_t{64} << 10U;
constexpr int gzip_format = 16;  // added to zlib's window bits
// The largest window that RFC 9659 lets a zstd content encoding use: 8 MiB. Without it a frame of a
// few bytes may ask for 128 MiB.
constexpr int max_zstd_window_log = 23;
constexpr int zstd_level = 3;
constexpr int gzip_level = 5;  // about half the time of level 6 for 2% more bytes on OTLP

Error bad_body(std::string_view encoding, std::string_view why) {
  return {ErrorCode::invalid_input, std::string(encoding) + " body: " + std::string(why)};
}

Error too_large(std::string_view encoding, size_t max_bytes) {
  return bad_body(encoding, "unpacks to more than " + std::to_string(max_bytes) + " bytes");
}

// Whether a block of `compressed` bytes can unpack to `claimed` ones. Of all elements of snappy's
// format_description.txt a copy with a 2-byte offset yields most: 64 bytes of 3.
bool snappy_can_hold(size_t compressed, size_t claimed) {
  constexpr size_t element_bytes = 3;
  constexpr size_t most_of_an_element = 64;
  return claimed / most_of_an_element <= compressed / element_bytes;
}

// zlib counts in unsigned int.
uInt clamp(size_t bytes) { return static_cast<uInt>(std::min<size_t>(bytes, 1U << 30U)); }

Bytef* bytes_of(std::string_view text) {
  // zlib's next_in is not const, yet it does not write there.
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

Result<std::string> inflate_all(std::string_view encoding, std::string_view body,
                                size_t max_bytes) {
  z_stream stream{};
  const int window_bits = MAX_WBITS + (encoding == "gzip" ? gzip_format : 0);
  if (inflateInit2(&stream, window_bits) != Z_OK) {
    return Error{ErrorCode::unavailable, "zlib: out of memory"};
  }
  const std::unique_ptr<z_stream, int (*)(z_streamp)> guard(&stream, inflateEnd);
  std::string out;
  std::string step(step_bytes, '\0');
  while (true) {
    stream.next_in = bytes_of(body);
    stream.avail_in = clamp(body.size());
    stream.next_out = bytes_of(step);
    stream.avail_out = static_cast<uInt>(step.size());
    const size_t given = stream.avail_in;
    const int code = inflate(&stream, Z_NO_FLUSH);
    const size_t made = step.size() - stream.avail_out;
    body.remove_prefix(given - stream.avail_in);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
      return bad_body(encoding, stream.msg != nullptr ? stream.msg : "broken stream");
    }
    if (made > max_bytes - out.size()) return too_large(encoding, max_bytes);
    out.append(step, 0, made);
    if (code == Z_STREAM_END) {
      if (body.empty()) return out;
      // RFC 1952: a gzip file may have several members, one after the other.
      if (encoding != "gzip") return bad_body(encoding, "bytes after the end");
      inflateReset(&stream);
    } else if (made == 0 && body.empty()) {
      return bad_body(encoding, "truncated");
    }
  }
}

Result<std::string> unzstd(std::string_view body, size_t max_bytes) {
  const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(),
                                                                   ZSTD_freeDCtx);
  if (!context) return Error{ErrorCode::unavailable, "zstd: out of memory"};
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, max_zstd_window_log);
  std::string out;
  std::string step(step_bytes, '\0');
  ZSTD_inBuffer input{body.data(), body.size(), 0};
  size_t left = 1;  // 0 at the end of a frame; several frames may follow one another
  while (left != 0 || input.pos < input.size) {
    ZSTD_outBuffer output{step.data(), step.size(), 0};
    const size_t old = input.pos;
    left = ZSTD_decompressStream(context.get(), &output, &input);
    if (ZSTD_isError(left) != 0) return bad_body("zstd", ZSTD_getErrorName(left));
    if (output.pos > max_bytes - out.size()) return too_large("zstd", max_bytes);
    out.append(step, 0, output.pos);
    if (left != 0 && output.pos == 0 && input.pos == old) return bad_body("zstd", "truncated");
  }
  return out;
}

Result<std::string> gzip(std::string_view body) {
  z_stream stream{};
  constexpr int memory_level = 8;  // zlib's default
  if (deflateInit2(&stream, gzip_level, Z_DEFLATED, MAX_WBITS + gzip_format, memory_level,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return Error{ErrorCode::unavailable, "zlib: out of memory"};
  }
  const std::unique_ptr<z_stream, int (*)(z_streamp)> guard(&stream, deflateEnd);
  std::string out;
  std::string step(step_bytes, '\0');
  int code = Z_OK;
  while (code != Z_STREAM_END) {
    stream.next_in = bytes_of(body);
    stream.avail_in = clamp(body.size());
    stream.next_out = bytes_of(step);
    stream.avail_out = static_cast<uInt>(step.size());
    const size_t given = stream.avail_in;
    code = deflate(&stream, given == body.size() ? Z_FINISH : Z_NO_FLUSH);
    body.remove_prefix(given - stream.avail_in);
    out.append(step, 0, step.size() - stream.avail_out);
    if (code == Z_STREAM_ERROR) return Error{ErrorCode::internal, "zlib: stream error"};
  }
  return out;
}

Result<std::string> zstd(std::string_view body) {
  std::string out(ZSTD_compressBound(body.size()), '\0');
  const size_t size = ZSTD_compress(out.data(), out.size(), body.data(), body.size(), zstd_level);
  if (ZSTD_isError(size) != 0) {
    return Error{ErrorCode::internal, std::string("zstd: ") + ZSTD_getErrorName(size)};
  }
  out.resize(size);
  return out;
}

}  // namespace

Result<std::string> decompress(std::string_view encoding, std::string_view body, size_t max_bytes) {
  std::string name(encoding);
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (name == "x-gzip") name = "gzip";
  if (name.empty() || name == "identity") {
    if (body.size() > max_bytes) {
      return Error{ErrorCode::invalid_input,
                   "body of more than " + std::to_string(max_bytes) + " bytes"};
    }
    return std::string(body);
  }
  if (name == "gzip" || name == "deflate") return inflate_all(name, body, max_bytes);
  if (name == "zstd") return unzstd(body, max_bytes);
  return Error{ErrorCode::invalid_input, "Content-Encoding '" + std::string(encoding) +
                                             "' is none of gzip, deflate, zstd, identity"};
}

Result<std::string> compress(std::string_view encoding, std::string_view body) {
  if (encoding == "gzip") return gzip(body);
  if (encoding == "zstd") return zstd(body);
  return Error{ErrorCode::invalid_input,
               "cannot compress to '" + std::string(encoding) + "', use gzip or zstd"};
}

Result<std::string> snappy_decompress(std::string_view body, size_t max_bytes) {
  size_t claimed = 0;
  if (!snappy::GetUncompressedLength(body.data(), body.size(), &claimed)) {
    return bad_body("snappy", "no length in front");
  }
  if (claimed > max_bytes) return too_large("snappy", max_bytes);
  if (!snappy_can_hold(body.size(), claimed)) {
    return bad_body("snappy", "claims more bytes than it can hold");
  }
  std::string out;
  if (!snappy::Uncompress(body.data(), body.size(), &out)) {
    return bad_body("snappy", "broken or truncated block");
  }
  return out;
}

std::string snappy_compress(std::string_view body) {
  std::string out;
  snappy::Compress(body.data(), body.size(), &out);
  return out;
}

}  // namespace auscult::wire
