#include "wire/remote_read.h"

#include <random>

#include "wire/compression.h"
#include "wire/testing_prometheus.h"

namespace auscult::wire {
namespace {

using model::PlainSeriesIndex;
using model::Points;

constexpr int64_t t = 1'700'000'000'000;

std::vector<ReadQuery> all_of_demo() {
  return {
      {.range = {0, 9'000'000'000'000}, .matchers = {{MatchType::matches, "__name__", "demo_.*"}}}};
}

std::string recorded(const std::string& name) { return unhex(recorded_lines(name).at(0)); }

PointsSink into(Points& all) {
  return [&all](const Points& points) -> Result<> {
    for (size_t i = 0; i < points.size(); ++i) {
      all.push_back(points.series[i], points.timestamps_ms[i], points.values[i]);
    }
    return Ok{};
  };
}

// Castagnoli's polynomial, bit by bit: not the library that the decoder uses.
uint32_t crc32c(std::string_view bytes) {
  uint32_t crc = 0xffffffff;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) crc = crc >> 1U ^ ((crc & 1U) != 0 ? 0x82f63b78U : 0U);
  }
  return ~crc;
}

std::string frame(std::string_view data) {
  std::string bytes;
  size_t length = data.size();
  for (; length >= 128; length /= 128) bytes += static_cast<char>(length % 128 + 128);
  bytes += static_cast<char>(length);
  const uint32_t crc = crc32c(data);
  for (unsigned shift = 32; shift > 0; shift -= 8) bytes += static_cast<char>(crc >> (shift - 8));
  return bytes + std::string(data);
}

// A chunk of one sample with the value 0 at 0 ms.
std::string chunk_field(uint64_t encoding) {
  const std::string data = std::string("\0\1", 2) + std::string(9, '\0');
  return field(2, varint_field(3, encoding) + field(4, data));
}

std::string series_frame(std::string_view labels, std::string_view chunks) {
  return frame(field(1, std::string(labels) + std::string(chunks)));
}

Result<Points> decoded(std::string_view answer, Rejected* rejected = nullptr,
                       const RemoteReadOptions& options = {}) {
  static PlainSeriesIndex index;
  Points all;
  const auto queries = all_of_demo();
  ChunkedReadDecoder decoder(queries, options, index, into(all));
  TRY(decoder.feed(answer));
  TRY(decoder.finish());
  if (rejected != nullptr) *rejected = decoder.rejected();
  return all;
}

// The same query as testdata/make_prometheus.py sends, written by hand from prompb/remote.proto.
TEST(RemoteRead, a_request_is_what_the_schema_says) {
  const std::vector<ReadQuery> queries = {
      {.range = {5, 300}, .matchers = {{MatchType::does_not_match, "a", "b.*"}}}};
  const std::string matcher = varint_field(1, 3) + field(2, "a") + field(3, "b.*");
  const std::string query = varint_field(1, 5) + varint_field(2, 300) + field(3, matcher);
  const std::string chunks_then_samples("\x01\x00", 2);
  EXPECT_EQ(*snappy_decompress(encode_read_request(queries), 1000),
            field(1, query) + field(2, chunks_then_samples));
}

TEST(RemoteRead, chunks_that_a_server_sent_are_what_its_query_api_says) {
  PlainSeriesIndex index;
  Points all;
  const auto queries = all_of_demo();
  ChunkedReadDecoder decoder(queries, {}, index, into(all));
  const std::string answer = recorded("remote_read_chunked.hex");
  for (const char byte : answer) {
    const auto fed = decoder.feed({&byte, 1});
    ASSERT_TRUE(fed) << fed.error().message;
  }
  ASSERT_TRUE(decoder.finish());

  EXPECT_EQ(decoder.rejected().samples, 0U) << decoder.rejected().message;
  EXPECT_EQ(point_lines(all), queried_lines());
  EXPECT_TRUE(std::any_of(all.values.begin(), all.values.end(), is_stale));
  EXPECT_EQ(all.series.at(0)->tags.cluster, "c1");
  EXPECT_EQ(model::label(all.series.at(0)->labels, "__replica__"), "r0");
}

TEST(RemoteRead, samples_that_a_server_sent_are_what_its_query_api_says) {
  PlainSeriesIndex index;
  Points all;
  const auto rejected =
      decode_read_response(recorded("remote_read_samples.hex"), {}, index, into(all));
  ASSERT_TRUE(rejected) << rejected.error().message;
  EXPECT_EQ(rejected->samples, 0U) << rejected->message;
  EXPECT_EQ(point_lines(all), queried_lines());
}

TEST(RemoteRead, chunks_are_cut_to_the_range_of_their_query) {
  PlainSeriesIndex index;
  Points all;
  const auto lines = recorded_lines("prometheus_values.txt");
  const int64_t time_ms = *to_int(words(lines.at(5))[1]);  // of demo_constant
  const std::vector<ReadQuery> queries = {{.range = {time_ms, time_ms}}};
  ChunkedReadDecoder decoder(queries, {}, index, into(all));
  ASSERT_TRUE(decoder.feed(recorded("remote_read_chunked.hex")));
  ASSERT_TRUE(decoder.finish());
  ASSERT_GT(all.size(), 0U);
  for (const int64_t one : all.timestamps_ms) EXPECT_EQ(one, time_ms);
}

TEST(RemoteRead, the_content_type_tells_chunks_from_samples) {
  EXPECT_TRUE(
      is_chunked_read("application/x-streamed-protobuf; proto=prometheus.ChunkedReadResponse"));
  EXPECT_FALSE(is_chunked_read("application/x-protobuf"));
}

TEST(RemoteRead, an_answer_that_ends_within_a_frame_is_an_error) {
  const std::string answer = series_frame(label_field("__name__", "m"), chunk_field(1));
  EXPECT_EQ(decoded(answer)->size(), 1U);
  for (size_t length = 1; length < answer.size(); ++length) {
    const auto points = decoded(answer.substr(0, length));
    ASSERT_FALSE(points) << length;
    EXPECT_EQ(points.error().message, "remote read: the answer ends within a frame");
  }
}

TEST(RemoteRead, a_wrong_checksum_is_an_error) {
  std::string answer = series_frame(label_field("__name__", "m"), chunk_field(1));
  answer.back() ^= 1;
  const auto points = decoded(answer);
  ASSERT_FALSE(points);
  EXPECT_EQ(points.error().message, "remote read: a frame with a wrong checksum");
}

TEST(RemoteRead, a_frame_that_claims_too_much_is_an_error_before_it_comes) {
  const auto points = decoded("\x80\x80\x80\x80\x10", nullptr, {.max_frame_bytes = 1000});
  ASSERT_FALSE(points);
  EXPECT_EQ(points.error().message,
            "remote read: a frame of 4294967296 bytes, at most 1000 are allowed");
  EXPECT_EQ(decoded(std::string(10, '\xff')).error().message,
            "remote read: a frame without a length");
}

TEST(RemoteRead, malformed_frames_are_errors) {
  const std::string name = label_field("__name__", "m");
  const std::string frames[] = {
      frame("x"),
      frame(field(1, name + chunk_field(1)) + varint_field(2, 1)),  // to no query
      series_frame(name, field(2, varint_field(3, 1) + field(4, "x"))),
      series_frame(name, field(2, varint_field(3, 1) + field(4, std::string("\0\2\0\0", 4)))),
  };
  for (const auto& bad : frames) {
    const auto points = decoded(bad);
    ASSERT_FALSE(points);
    EXPECT_EQ(points.error().code, ErrorCode::invalid_input);
    EXPECT_TRUE(points.error().message.starts_with("malformed remote read: "));
  }
}

TEST(RemoteRead, histograms_and_series_that_cannot_be_kept_are_counted) {
  constexpr uint64_t histogram = 2;
  Rejected rejected;
  const auto points = decoded(
      series_frame(label_field("__name__", "h"), chunk_field(histogram)) +
          series_frame(label_field("a", "b"), chunk_field(1)) +
          series_frame(label_field("__name__", "m"), chunk_field(histogram) + chunk_field(1)),
      &rejected);
  ASSERT_TRUE(points);
  EXPECT_EQ(points->size(), 1U);
  EXPECT_EQ(rejected.samples, 3U);
  EXPECT_EQ(rejected.message, "h: native histograms are not supported");
}

TEST(RemoteRead, samples_out_of_time_and_unnamed_series_are_counted) {
  PlainSeriesIndex index;
  Points all;
  const std::string named = label_field("__name__", "m") + sample_field(1, -1) + sample_field(2, t);
  const std::string unnamed = sample_field(1, t) + sample_field(2, t);
  const std::string response = field(1, field(1, named) + field(1, unnamed));
  const auto rejected = decode_read_response(snappy_compress(response), {}, index, into(all));
  ASSERT_TRUE(rejected);
  EXPECT_EQ(all.values, (std::vector<double>{2}));
  EXPECT_EQ(rejected->samples, 3U);
  EXPECT_EQ(rejected->message, "m: a time before 1970 or beyond 2261");
}

// A constant series takes two bits a sample: 65535 of them in 16 KB.
std::string dense_chunk_field() {
  return field(2, varint_field(3, 1) +
                      field(4, std::string("\xff\xff", 2) + std::string(size_t{17} << 10U, '\0')));
}

TEST(RemoteRead, dense_chunks_reach_the_sink_in_pieces) {
  PlainSeriesIndex index;
  size_t largest = 0;
  size_t total = 0;
  const auto queries = all_of_demo();
  ChunkedReadDecoder decoder(queries, {}, index, [&](const Points& points) -> Result<> {
    largest = std::max(largest, points.size());
    total += points.size();
    return Ok{};
  });
  std::string chunks;
  for (int i = 0; i < 20; ++i) chunks += dense_chunk_field();
  ASSERT_TRUE(decoder.feed(series_frame(label_field("__name__", "m"), chunks)));
  ASSERT_TRUE(decoder.finish());
  EXPECT_EQ(total, 20U * 65535);
  EXPECT_LT(largest, 16'384U + 65'535);
}

TEST(RemoteRead, what_the_sink_refuses_ends_the_decoding) {
  PlainSeriesIndex index;
  const auto queries = all_of_demo();
  ChunkedReadDecoder decoder(queries, {}, index, [](const Points&) -> Result<> {
    return Error{ErrorCode::unavailable, "disk full"};
  });
  const auto fed = decoder.feed(series_frame(label_field("__name__", "m"), dense_chunk_field()));
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().code, ErrorCode::unavailable);
  EXPECT_EQ(fed.error().message, "disk full");
}

TEST(RemoteRead, mutated_answers_never_crash) {
  std::mt19937 random(13);
  const std::string whole = recorded("remote_read_chunked.hex");
  const size_t length = (whole[0] & 0x7f) + static_cast<size_t>(whole[1]) * 128;
  const std::string first = whole.substr(6, length);
  ASSERT_EQ(frame(first), whole.substr(0, 6 + length));
  const std::string samples = *snappy_decompress(recorded("remote_read_samples.hex"), 1U << 20U);
  for (int i = 0; i < 20'000; ++i) {
    std::string bad = i % 2 == 0 ? first : samples;
    for (auto flips = 1 + random() % 4; flips > 0; --flips) {
      bad[random() % bad.size()] = static_cast<char>(random());
    }
    PlainSeriesIndex index;
    Points all;
    if (i % 2 == 0) {
      const auto queries = all_of_demo();
      ChunkedReadDecoder decoder(queries, {}, index, into(all));
      (void)decoder.feed(frame(bad));
      (void)decoder.finish();
    } else {
      (void)decode_read_response(snappy_compress(bad), {}, index, into(all));
    }
  }
}

}  // namespace
}  // namespace auscult::wire
