#include "wire/remote_write.h"

#include <random>
#include <set>

#include "wire/compression.h"
#include "wire/testing_prometheus.h"

namespace auscult::wire {
namespace {

using model::MetricKind;
using model::PlainSeriesIndex;
using model::Points;

constexpr int64_t t = 1'700'000'000'000;

std::string named(std::string_view metric) { return label_field("__name__", metric); }

std::string series_field(std::string_view labels, std::string_view samples) {
  return field(1, std::string(labels) + std::string(samples));
}

RemoteWrite decoded(std::string_view request, model::SeriesIndex& index,
                    const RemoteWriteOptions& options = {}) {
  auto write = decode_remote_write(snappy_compress(request), options, index);
  EXPECT_TRUE(write) << write.error().message;
  return write ? std::move(*write) : RemoteWrite{};
}

struct RejectedCase {
  std::string labels;
  std::string message;
};

TEST(RemoteWrite, what_a_server_wrote_is_what_its_query_api_says) {
  PlainSeriesIndex index;
  Points all;
  uint64_t exemplars = 0;
  uint64_t n_stale = 0;
  for (const auto& line : recorded_lines("remote_write.hex")) {
    const auto write = decode_remote_write(unhex(line), {}, index);
    ASSERT_TRUE(write) << write.error().message;
    EXPECT_EQ(write->rejected.samples, 0U) << write->rejected.message;
    exemplars += write->exemplars;
    for (size_t i = 0; i < write->points.size(); ++i) {
      EXPECT_EQ(write->replica, "r0");
      EXPECT_EQ(write->cluster, "c1");
      all.push_back(write->points.series[i], write->points.timestamps_ms[i],
                    write->points.values[i]);
      n_stale += is_stale(write->points.values[i]) ? 1 : 0;
    }
  }

  auto expected = queried_lines();
  // Older than the server's start: it does not send those on.
  std::erase_if(expected, [](const auto& line) { return line.starts_with("demo_late"); });
  EXPECT_EQ(point_lines(all), expected);
  EXPECT_GT(exemplars, 0U);
  EXPECT_GE(n_stale, 1U);  // demo_gone went away
  const std::set<const model::Series*> series(all.series.begin(), all.series.end());
  EXPECT_EQ(series.size(), 8U);
  for (const model::Series* one : series) {
    EXPECT_EQ(one->tags, (model::Tags{.cluster = "c1", .node_id = "n7", .gpu = "gpu0"}));
    EXPECT_EQ(model::label(one->labels, "job"), "demo");
    EXPECT_EQ(model::label(one->labels, "__replica__"), "");
    const bool gauge =
        one->metric == "demo_gauge" || one->metric == "demo_constant" || one->metric == "demo_gone";
    EXPECT_EQ(one->kind, gauge ? MetricKind::gauge : MetricKind::counter) << one->metric;
  }
}

TEST(RemoteWrite, a_known_series_is_not_spelled_out_again) {
  PlainSeriesIndex index;
  const std::string labels = named("m") + label_field("b", "2") + label_field("a", "1");
  const auto first = decoded(series_field(labels, sample_field(1, t)), index);
  const auto second = decoded(series_field(labels, sample_field(2, t + 1)), index);

  ASSERT_EQ(second.points.size(), 1U);
  EXPECT_EQ(second.points.series[0], first.points.series[0]);
  EXPECT_EQ(first.points.series[0]->labels, (model::Labels{{"a", "1"}, {"b", "2"}}));
}

TEST(RemoteWrite, labels_after_or_between_samples_count_all_the_same) {
  PlainSeriesIndex index;
  const auto usual =
      decoded(series_field(named("m") + label_field("a", "1"), sample_field(1, t)), index);
  const auto late =
      decoded(series_field("", sample_field(1, t) + named("m") + label_field("a", "1")), index);
  const auto between =
      decoded(series_field(named("m"), sample_field(1, t) + label_field("a", "1")), index);
  const auto other =
      decoded(series_field(named("m"), sample_field(1, t) + label_field("a", "2")), index);

  EXPECT_EQ(late.points.series[0], usual.points.series[0]);
  EXPECT_EQ(between.points.series[0], usual.points.series[0]);
  EXPECT_NE(other.points.series[0], usual.points.series[0]);
}

TEST(RemoteWrite, a_staleness_marker_keeps_its_bits) {
  PlainSeriesIndex index;
  const auto marker = std::bit_cast<double>(stale_marker_bits);
  const auto write = decoded(series_field(named("m"), sample_field(marker, t)), index);
  EXPECT_EQ(std::bit_cast<uint64_t>(write.points.values.at(0)), stale_marker_bits);
}

TEST(RemoteWrite, a_kind_is_what_the_metadata_say_else_what_the_name_says) {
  PlainSeriesIndex index;
  constexpr uint64_t counter = 1;
  constexpr uint64_t gauge = 2;
  constexpr uint64_t gauge_histogram = 4;
  std::string request;
  for (const char* metric :
       {"a_total", "a_count", "a_sum", "a_bucket", "a", "odd", "queue_count", "size_bucket"}) {
    request += series_field(named(metric), sample_field(1, t));
  }
  request += field(3, varint_field(1, counter) + field(2, "odd"));
  request += field(3, varint_field(1, gauge) + field(2, "queue_count"));
  request += field(3, varint_field(1, gauge_histogram) + field(2, "size"));

  const auto write = decoded(request, index);

  std::vector<MetricKind> kinds;
  for (const auto* series : write.points.series) kinds.push_back(series->kind);
  const auto c = MetricKind::counter;
  const auto g = MetricKind::gauge;
  EXPECT_EQ(kinds, (std::vector{c, c, c, c, g, c, g, g}));
}

TEST(RemoteWrite, two_replicas_write_one_series) {
  PlainSeriesIndex index;
  std::vector<const model::Series*> series;
  for (const char* replica : {"r0", "r1", "r0"}) {
    const auto write = decoded(
        series_field(named("m") + label_field("__replica__", replica) + label_field("cluster", "c"),
                     sample_field(1, t)) +
            series_field(named("n") + label_field("__replica__", "other"), sample_field(1, t)),
        index);
    EXPECT_EQ(write.replica, replica);
    EXPECT_EQ(write.cluster, "c");
    series.push_back(write.points.series.at(0));
  }
  EXPECT_EQ(series[0], series[1]);
  EXPECT_EQ(series[0], series[2]);
  EXPECT_TRUE(series[0]->labels.empty());
}

TEST(RemoteWrite, without_a_replica_label_every_label_counts) {
  PlainSeriesIndex index;
  const std::string request =
      series_field(named("m") + label_field("__replica__", "r0"), sample_field(1, t));
  const auto dropped = decoded(request, index);
  const auto kept = decoded(request, index, {.ha_replica_label = "", .ha_cluster_label = ""});
  EXPECT_EQ(kept.replica, "");
  EXPECT_NE(kept.points.series.at(0), dropped.points.series.at(0));
  EXPECT_EQ(kept.points.series[0]->labels, (model::Labels{{"__replica__", "r0"}}));
}

// Prometheus 2.42 and later: storage/remote/write_handler.go drops such series, too.
TEST(RemoteWrite, series_that_cannot_be_kept_are_counted_and_the_first_is_named) {
  std::string many = named("m");
  for (int i = 0; i < 65; ++i) many += label_field("l" + std::to_string(i), "x");
  const RejectedCase cases[] = {
      {label_field("a", "1"), "a series without a name"},
      {named(""), "a series without a name"},
      {named("m") + label_field("a", "\xff"), "m: invalid UTF-8"},
      {named("m") + label_field("\xff", "a"), "m: invalid UTF-8"},
      {named("m") + label_field("", "a"), "m: a label without a name"},
      {named("m") + label_field("a", "1") + label_field("a", "2"), "m: a label given twice"},
      {named("m") + label_field("a", std::string(4097, 'x')), "m: a label longer than one may be"},
      {many, "m: more labels than a series may have"},
  };
  for (const auto& bad : cases) {
    PlainSeriesIndex index;
    const auto write =
        decoded(series_field(named("good"), sample_field(1, t)) +
                    series_field(bad.labels, sample_field(1, t) + sample_field(2, t)) +
                    series_field(named("good"), sample_field(3, t + 1)),
                index);
    EXPECT_EQ(write.rejected.samples, 2U);
    EXPECT_EQ(write.rejected.message, bad.message);
    EXPECT_EQ(write.points.values, (std::vector<double>{1, 3})) << bad.message;
    EXPECT_EQ(write.points.timestamps_ms, (std::vector<int64_t>{t, t + 1}));
    EXPECT_EQ(write.points.series.at(0), write.points.series.at(1));
  }
}

TEST(RemoteWrite, the_largest_series_is_kept) {
  PlainSeriesIndex index;
  std::string labels = named("m") + label_field("a", std::string(4096, 'x'));
  for (int i = 0; i < 63; ++i) labels += label_field("l" + std::to_string(i), "x");
  const auto write = decoded(series_field(labels, sample_field(1, t)), index);
  EXPECT_EQ(write.rejected.samples, 0U) << write.rejected.message;
  EXPECT_EQ(write.points.series.at(0)->labels.size(), 64U);
}

TEST(RemoteWrite, times_outside_of_1970_to_2261_are_rejected) {
  PlainSeriesIndex index;
  constexpr int64_t end_of_2261 = 9'214'646'400'000;
  const auto write = decoded(
      series_field(named("m"), sample_field(1, -1) + sample_field(2, 0) +
                                   sample_field(3, end_of_2261 - 1) + sample_field(4, end_of_2261)),
      index);
  EXPECT_EQ(write.points.values, (std::vector<double>{2, 3}));
  EXPECT_EQ(write.rejected.samples, 2U);
  EXPECT_EQ(write.rejected.message, "m: a time before 1970 or beyond 2261");
}

TEST(RemoteWrite, samples_beyond_the_bound_are_rejected) {
  PlainSeriesIndex index;
  const std::string request = series_field(named("m"), sample_field(1, t) + sample_field(2, t)) +
                              series_field(named("n"), sample_field(3, t));
  const auto write = decoded(request, index, {.max_samples = 1});
  EXPECT_EQ(write.points.size(), 1U);
  EXPECT_EQ(write.rejected.samples, 2U);
  EXPECT_EQ(write.rejected.message, "m: more samples than a request may have");
}

class FullIndex : public PlainSeriesIndex {
 public:
  Result<const model::Series*> add(const model::SeriesKey&, model::Series series) override {
    return Error{ErrorCode::invalid_input, "full: " + series.metric};
  }
};

TEST(RemoteWrite, what_the_index_refuses_is_rejected_in_its_words) {
  FullIndex index;
  const auto write = decoded(series_field(named("m"), sample_field(1, t)), index);
  EXPECT_TRUE(write.points.empty());
  EXPECT_EQ(write.rejected.samples, 1U);
  EXPECT_EQ(write.rejected.message, "full: m");
}

TEST(RemoteWrite, exemplars_are_dropped_and_native_histograms_are_not_supported) {
  PlainSeriesIndex index;
  const auto write = decoded(
      series_field(named("m"), sample_field(1, t) + field(3, double_field(2, 1))) +
          series_field(named("h"), field(4, varint_field(1, 3)) + field(4, varint_field(1, 4))),
      index);
  EXPECT_EQ(write.points.size(), 1U);
  EXPECT_EQ(write.exemplars, 1U);
  EXPECT_EQ(write.native_histograms, 2U);
  EXPECT_EQ(write.rejected.samples, 2U);
  EXPECT_EQ(write.rejected.message, "h: native histograms are not supported");
}

TEST(RemoteWrite, a_request_cut_at_any_byte_is_an_error) {
  const std::string request = series_field(named("m") + label_field("a", "1"), sample_field(1, t));
  const std::string block = snappy_compress(request);
  PlainSeriesIndex index;
  for (size_t length = 1; length < request.size(); ++length) {
    const auto write = decode_remote_write(snappy_compress(request.substr(0, length)), {}, index);
    ASSERT_FALSE(write) << length;
    EXPECT_EQ(write.error().code, ErrorCode::invalid_input);
  }
  for (size_t length = 0; length < block.size(); ++length) {
    EXPECT_FALSE(decode_remote_write(block.substr(0, length), {}, index)) << length;
  }
}

TEST(RemoteWrite, a_wrong_wire_type_is_an_error) {
  PlainSeriesIndex index;
  const auto write = decode_remote_write(
      snappy_compress(series_field(named("m"), field(2, varint_field(1, 5)))), {}, index);
  ASSERT_FALSE(write);
  EXPECT_EQ(write.error().message, "malformed remote write: field 1 has the wrong wire type");
}

TEST(RemoteWrite, mutated_requests_never_crash) {
  std::mt19937 random(11);
  for (const auto& line : recorded_lines("remote_write.hex")) {
    const std::string whole = *snappy_decompress(unhex(line), size_t{1} << 20U);
    for (int i = 0; i < 500; ++i) {
      std::string bad = whole;
      for (auto flips = 1 + random() % 4; flips > 0; --flips) {
        bad[random() % bad.size()] = static_cast<char>(random());
      }
      PlainSeriesIndex index;
      const auto write = decode_remote_write(snappy_compress(bad), {}, index);
      if (!write) continue;
      EXPECT_EQ(std::count(write->points.series.begin(), write->points.series.end(), nullptr), 0);
      EXPECT_EQ(write->points.values.size(), write->points.size());
    }
  }
}

TEST(RemoteWrite, a_flood_of_empty_labels_is_rejected) {
  PlainSeriesIndex index;
  std::string labels;
  for (size_t i = 0; i < 1'000'000; ++i) labels.append("\x0a\x00", 2);
  const auto write = decoded(series_field(labels, sample_field(1, t)), index);
  EXPECT_EQ(write.rejected.samples, 1U);
  EXPECT_EQ(write.rejected.message, "more labels than a series may have");
}

}  // namespace
}  // namespace auscult::wire
