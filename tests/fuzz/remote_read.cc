// Fuzzing: an answer to remote read, as frames, as what a frame with a right checksum would hold,
// and as samples.
#include "wire/remote_read.h"

#include <boost/crc.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "wire/compression.h"

namespace {

using auscult::Ok;
using auscult::Result;

std::string frame(std::string_view data) {
  std::string bytes;
  size_t length = data.size();
  for (; length >= 128; length /= 128) bytes += static_cast<char>(length % 128 + 128);
  bytes += static_cast<char>(length);
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(data.data(), data.size());
  for (unsigned shift = 32; shift > 0; shift -= 8) {
    bytes += static_cast<char>(crc.checksum() >> (shift - 8));
  }
  return bytes + std::string(data);
}

Result<> ignore(const auscult::model::Points&) { return Ok{}; }

void read(std::string_view answer) {
  auscult::model::PlainSeriesIndex index;
  const std::vector<auscult::wire::ReadQuery> queries = {{.range = {0, INT64_MAX}}};
  auscult::wire::ChunkedReadDecoder decoder(queries, {}, index, ignore);
  if (decoder.feed(answer)) (void)decoder.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  read(frame(bytes));
  auscult::model::PlainSeriesIndex index;
  (void)auscult::wire::decode_read_response(auscult::wire::snappy_compress(bytes), {}, index,
                                            ignore);
  return 0;
}
