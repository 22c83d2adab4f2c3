// Prometheus remote read, the client's side: queries -> a request, an answer's bytes -> points.
// Source: prometheus.io/docs/prometheus/latest/querying/remote_read_api, prompb/remote.proto and
// storage/remote/chunked.go of Prometheus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/series.h"
#include "wire/prometheus_series.h"
#include "wire/xor_chunk.h"

namespace auscult::wire {

// The numbers of LabelMatcher.Type. Regular expressions match the whole value.
enum class MatchType : uint8_t { equal, not_equal, matches, does_not_match };

struct LabelMatcher {
  MatchType type = MatchType::equal;
  std::string name;  // __name__ for the metric
  std::string value;
};

struct ReadQuery {
  TimeRangeMs range;
  std::vector<LabelMatcher> matchers;
};

// Body of a POST with "Content-Encoding: snappy", "Content-Type: application/x-protobuf" and
// "X-Prometheus-Remote-Read-Version: 0.1.0". Asks for a stream of chunks, else for samples: the
// Content-Type of the answer says which came.
std::string encode_read_request(std::span<const ReadQuery> queries);

// Whether an answer of this Content-Type is for ChunkedReadDecoder; else for decode_read_response.
bool is_chunked_read(std::string_view content_type);

struct RemoteReadOptions {
  // Servers send about 1 MiB a frame (--storage.remote.read-max-bytes-in-frame), and a whole chunk
  // more than that at most.
  size_t max_frame_bytes = size_t{16} << 20U;
  // Of an answer of samples, unpacked; servers stop at 50 million samples of some 16 bytes, which
  // is a reason to ask for chunks.
  size_t max_response_bytes = size_t{256} << 20U;
  SeriesLimits limits;
};

// Takes points as they are decoded, at most some 80,000 at a time. An Error ends the decoding.
using PointsSink = std::function<Result<>(model::Points points)>;

// Reads a stream of chunks as it comes, and holds one frame of it at most. What lies outside of the
// range of its query, as chunks are sent whole, is left out. Where chunks overlap, a sample may
// come twice. Rejected: what remote write rejects, and native histograms.
class ChunkedReadDecoder {
 public:
  // `queries` are those that were asked, in their order. `index` is borrowed.
  ChunkedReadDecoder(std::span<const ReadQuery> queries, const RemoteReadOptions& options,
                     model::SeriesIndex& index, PointsSink sink);
  ~ChunkedReadDecoder();

  // invalid_input: a frame that is malformed, too long or whose checksum is wrong; or what the sink
  // said. No call may follow an Error; what the sink took before is good.
  Result<> feed(std::string_view bytes);

  // At the end of the body. invalid_input: it ended within a frame.
  Result<> finish();

  const Rejected& rejected() const;

 private:
  class Frames;
  std::unique_ptr<Frames> frames_;
};

// An answer of samples: one block of snappy. Errors as above.
Result<Rejected> decode_read_response(std::string_view body, const RemoteReadOptions& options,
                                      model::SeriesIndex& index, const PointsSink& sink);

}  // namespace auscult::wire
