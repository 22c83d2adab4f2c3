#include "wire/remote_read.h"

#include <boost/crc.hpp>
#include <optional>
#include <protozero/pbf_writer.hpp>
#include <utility>

#include "base/text.h"
#include "wire/compression.h"
#include "wire/otlp_fields.h"
#include "wire/otlp_values.h"
#include "wire/prometheus_time_series.h"

namespace auscult::wire {
namespace {

using model::Points;
using model::Series;
using protozero::pbf_writer;

constexpr int32_t samples_response = 0;  // ReadRequest.ResponseType
constexpr int32_t chunked_response = 1;
constexpr uint64_t xor_chunk = 1;  // Chunk.Encoding
constexpr size_t batch_points = 16'384;
constexpr size_t checksum_bytes = 4;
constexpr size_t max_length_bytes = 10;  // of a uvarint of 64 bits

uint32_t crc32c(std::string_view bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

// Points on their way to the sink.
class Batch {
 public:
  explicit Batch(PointsSink sink) : sink_(std::move(sink)) {}

  Points& points() { return points_; }
  Result<> pass_on_when_full() { return points_.size() < batch_points ? Ok{} : pass_on(); }
  Result<> pass_on() {
    if (points_.empty()) return Ok{};
    return sink_(std::exchange(points_, {}));
  }

 private:
  PointsSink sink_;
  Points points_;
};

// Series by the labels of TimeSeries and ChunkedSeries: the same bytes in both.
LabelledSeries series_by_labels(model::SeriesIndex& index, const SeriesLimits& limits) {
  return {index, "remote_read", limits, {}, [](std::string_view) { return MetricType::unknown; }};
}

struct Chunk {
  uint64_t encoding = 0;
  std::string_view data;
};

Chunk chunk_from(std::string_view message) {
  Chunk chunk;
  for (Fields fields(message); fields.next();) {
    const auto number = fields.number();
    if (number == 3) chunk.encoding = fields.varint();
    if (number == 4) chunk.data = fields.bytes();
  }
  return chunk;
}

}  // namespace

std::string encode_read_request(std::span<const ReadQuery> queries) {
  std::string request;
  pbf_writer out(request);
  for (const auto& [range, matchers] : queries) {
    pbf_writer query(out, 1);
    query.add_int64(1, range.start_ms);
    query.add_int64(2, range.end_ms);
    for (const auto& [type, name, value] : matchers) {
      pbf_writer matcher(query, 3);
      matcher.add_enum(1, static_cast<int32_t>(type));
      matcher.add_string(2, name);
      matcher.add_string(3, value);
    }
  }
  const int32_t accepted[] = {chunked_response, samples_response};
  out.add_packed_enum(2, std::begin(accepted), std::end(accepted));
  return snappy_compress(request);
}

bool is_chunked_read(std::string_view content_type) {
  return trim(content_type.substr(0, content_type.find(';'))) == "application/x-streamed-protobuf";
}

class ChunkedReadDecoder::Frames {
 public:
  Frames(std::span<const ReadQuery> queries, const RemoteReadOptions& options,
         model::SeriesIndex& index, PointsSink sink)
      : max_frame_bytes_(options.max_frame_bytes),
        series_(series_by_labels(index, options.limits)),
        batch_(std::move(sink)) {
    for (const auto& query : queries) ranges_.push_back(query.range);
  }

  Result<> feed(std::string_view bytes) {
    buffer_ += bytes;
    std::string_view rest = buffer_;
    while (true) {
      const auto frame = TRY(take_frame(rest));
      if (!frame) break;
      TRY(decode_frame(*frame));
    }
    buffer_.erase(0, buffer_.size() - rest.size());
    return Ok{};
  }

  Result<> finish() {
    TRY(batch_.pass_on());
    if (buffer_.empty()) return Ok{};
    return Error{ErrorCode::invalid_input, "remote read: the answer ends within a frame"};
  }

  const Rejected& rejected() const { return rejected_; }

 private:
  // uvarint length, CRC32C of the data in big-endian order, data. Nothing: it is not whole yet.
  Result<std::optional<std::string_view>> take_frame(std::string_view& rest) const {
    uint64_t length = 0;
    size_t at = 0;
    for (bool more = true; more; ++at) {
      if (at == max_length_bytes) {
        return Error{ErrorCode::invalid_input, "remote read: a frame without a length"};
      }
      if (at == rest.size()) return std::optional<std::string_view>();
      const auto byte = static_cast<unsigned char>(rest[at]);
      length |= (byte & uint64_t{0x7f}) << (7 * at);
      more = byte >= 0x80U;
    }
    if (length > max_frame_bytes_) {
      return Error{ErrorCode::invalid_input, "remote read: a frame of " + std::to_string(length) +
                                                 " bytes, at most " +
                                                 std::to_string(max_frame_bytes_) + " are allowed"};
    }
    if (rest.size() - at < checksum_bytes + length) return std::optional<std::string_view>();
    uint32_t checksum = 0;
    for (size_t i = 0; i < checksum_bytes; ++i) {
      checksum = checksum << 8U | static_cast<unsigned char>(rest[at + i]);
    }
    const auto data = rest.substr(at + checksum_bytes, length);
    if (crc32c(data) != checksum) {
      return Error{ErrorCode::invalid_input, "remote read: a frame with a wrong checksum"};
    }
    rest.remove_prefix(at + checksum_bytes + length);
    return std::optional(data);
  }

  // The sink's Error is no exception: it goes through the guard as a value.
  Result<> decode_frame(std::string_view message) {
    return TRY(decode_guarded("remote read", [&] { return chunked_response_from(message); }));
  }

  Result<> chunked_response_from(std::string_view message) {
    uint64_t query_index = 0;
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 2) query_index = fields.varint();
    }
    if (query_index >= ranges_.size()) throw Malformed("an answer to no query");
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 1) TRY(chunked_series(fields.bytes(), ranges_[query_index]));
    }
    return Ok{};
  }

  // The series is looked for once, not for every chunk: its labels may be long.
  Result<> chunked_series(std::string_view message, const TimeRangeMs& range) {
    const Series* of = series_of_chunks(message);
    if (of == nullptr) return Ok{};
    for (Fields fields(message); fields.next();) {
      if (fields.number() != 2) continue;
      const Chunk chunk = chunk_from(fields.bytes());
      if (chunk.encoding != xor_chunk) continue;
      const uint64_t n_unstorable = append_xor_chunk(chunk.data, of, range, batch_.points());
      rejected_.add(n_unstorable, of->metric, unstorable_time);
      TRY(batch_.pass_on_when_full());
    }
    return Ok{};
  }

  // Null: it has no samples of a kind that is kept, or is rejected.
  const Series* series_of_chunks(std::string_view message) {
    LabelFields labels(message);
    uint64_t n_samples = 0;
    uint64_t n_histograms = 0;
    for (Fields fields(message); fields.next();) {
      if (labels.take(fields) || fields.number() != 2) continue;
      const Chunk chunk = chunk_from(fields.bytes());
      (chunk.encoding == xor_chunk ? n_samples : n_histograms) += samples_of_chunk(chunk.data);
    }
    if (n_histograms > 0) {
      rejected_.add(n_histograms, label_value(labels.bytes(), "__name__"), no_native_histograms);
    }
    return n_samples == 0 ? nullptr : series_.find(labels.bytes(), n_samples, rejected_);
  }

  size_t max_frame_bytes_;
  std::vector<TimeRangeMs> ranges_;  // of the queries
  LabelledSeries series_;
  Batch batch_;
  Rejected rejected_;
  std::string buffer_;  // a frame that is not whole yet
};

ChunkedReadDecoder::ChunkedReadDecoder(std::span<const ReadQuery> queries,
                                       const RemoteReadOptions& options, model::SeriesIndex& index,
                                       PointsSink sink)
    : frames_(std::make_unique<Frames>(queries, options, index, std::move(sink))) {}

ChunkedReadDecoder::~ChunkedReadDecoder() = default;

Result<> ChunkedReadDecoder::feed(std::string_view bytes) { return frames_->feed(bytes); }

Result<> ChunkedReadDecoder::finish() { return frames_->finish(); }

const Rejected& ChunkedReadDecoder::rejected() const { return frames_->rejected(); }

namespace {

class ResponseDecoder {
 public:
  ResponseDecoder(const RemoteReadOptions& options, model::SeriesIndex& index,
                  const PointsSink& sink)
      : series_(series_by_labels(index, options.limits)), batch_(sink) {}

  // ReadResponse.results[].timeseries[]
  Result<Rejected> decode(std::string_view response) {
    for (Fields results(response); results.next();) {
      const auto result = results.number();
      if (result != 1) continue;
      for (Fields fields(results.bytes()); fields.next();) {
        const auto number = fields.number();
        if (number == 1) TRY(time_series(fields.bytes()));
      }
    }
    TRY(batch_.pass_on());
    return std::move(rejected_);
  }

 private:
  Result<> time_series(std::string_view message) {
    const Series* of = series_of_samples(message);
    if (of == nullptr) return Ok{};
    for (Fields fields(message); fields.next();) {
      if (fields.number() != 2) continue;
      const auto [timestamp_ms, value] = sample_from(fields.bytes());
      if (is_storable(timestamp_ms)) {
        batch_.points().push_back(of, timestamp_ms, value);
      } else {
        rejected_.add(1, of->metric, unstorable_time);
      }
      TRY(batch_.pass_on_when_full());
    }
    return Ok{};
  }

  const Series* series_of_samples(std::string_view message) {
    LabelFields labels(message);
    uint64_t n_samples = 0;
    for (Fields fields(message); fields.next();) {
      if (!labels.take(fields) && fields.number() == 2) ++n_samples;
    }
    return n_samples == 0 ? nullptr : series_.find(labels.bytes(), n_samples, rejected_);
  }

  LabelledSeries series_;
  Batch batch_;
  Rejected rejected_;
};

}  // namespace

Result<Rejected> decode_read_response(std::string_view body, const RemoteReadOptions& options,
                                      model::SeriesIndex& index, const PointsSink& sink) {
  const std::string response =
      TRY(snappy_decompress(body, options.max_response_bytes), "remote read");
  return TRY(decode_guarded(
      "remote read", [&] { return ResponseDecoder(options, index, sink).decode(response); }));
}

}  // namespace auscult::wire
