#include <gtest/gtest.h>

#include <cmath>

#include "wire/testing_otlp.h"

namespace auscult::wire {
namespace {

std::string gauge_json(std::string_view point, std::string_view resource = "") {
  return metric_json(R"("name":"g","gauge":{"dataPoints":[{)" + std::string(point) + "}]}",
                     resource);
}

TEST(OtlpMetrics, every_kind_arrives_from_the_protobuf_of_others) {
  const auto decoded = metrics_of(request("metrics"), Encoding::protobuf);

  EXPECT_EQ(decoded.rejected, 0U) << decoded.message;
  EXPECT_EQ(text_of(decoded),
            R"(# TYPE http_requests_total counter
http_requests_total{instance="n1:9100",job="trainer",node_id="n1"} 1.5
# TYPE latency_milliseconds gauge
latency_milliseconds{instance="n1:9100",job="trainer",node_id="n1",quantile="0.99"} 3
# TYPE latency_milliseconds_count counter
latency_milliseconds_count{instance="n1:9100",job="trainer",node_id="n1"} 4
# TYPE latency_milliseconds_sum counter
latency_milliseconds_sum{instance="n1:9100",job="trainer",node_id="n1"} 8
# TYPE queue_depth gauge
queue_depth{instance="n1:9100",job="trainer",list="[\"x\",\"y\"]",node_id="n1",ok="true",queue_name="a",rank="3",ratio="0.5",raw="AP8="} 9007199254740992
# TYPE size_bytes_bucket counter
size_bytes_bucket{instance="n1:9100",job="trainer",le="+Inf",node_id="n1"} 10
size_bytes_bucket{instance="n1:9100",job="trainer",le="0",node_id="n1"} 1
size_bytes_bucket{instance="n1:9100",job="trainer",le="1",node_id="n1"} 5
size_bytes_bucket{instance="n1:9100",job="trainer",le="2",node_id="n1"} 5
size_bytes_bucket{instance="n1:9100",job="trainer",le="4",node_id="n1"} 10
# TYPE size_bytes_count counter
size_bytes_count{instance="n1:9100",job="trainer",node_id="n1"} 10
# TYPE size_bytes_sum counter
size_bytes_sum{instance="n1:9100",job="trainer",node_id="n1"} 20
# TYPE wait_seconds_bucket counter
wait_seconds_bucket{instance="n1:9100",job="trainer",le="+Inf",node_id="n1"} 6
wait_seconds_bucket{instance="n1:9100",job="trainer",le="0.5",node_id="n1"} 1
wait_seconds_bucket{instance="n1:9100",job="trainer",le="2",node_id="n1"} 3
# TYPE wait_seconds_count counter
wait_seconds_count{instance="n1:9100",job="trainer",node_id="n1"} 6
# TYPE wait_seconds_sum counter
wait_seconds_sum{instance="n1:9100",job="trainer",node_id="n1"} 9.5
)");
  for (const auto& sample : decoded.items) EXPECT_EQ(sample.timestamp_ns, golden_in_ms_ns);
}

TEST(OtlpMetrics, tags_of_the_point_win_over_those_of_the_resource) {
  const auto decoded = metrics_of(
      gauge_json(R"("asInt":1,"attributes":[)" + attribute_json("instance", "target:9400") + "," +
                     attribute_json("rank", "7") + "]",
                 attribute_json("host.name", "collector") + "," + attribute_json("rank", "1") +
                     "," + attribute_json("slurm.job.id", "99")),
      Encoding::json);
  ASSERT_EQ(decoded.items.size(), 1U);
  const auto& sample = decoded.items.front();
  EXPECT_EQ(sample.tags.node_id, "target");
  EXPECT_EQ(sample.tags.rank, "7");
  EXPECT_EQ(sample.tags.job_id, "99");
  const model::Labels instance = {{"instance", "target:9400"}};
  EXPECT_EQ(sample.labels, instance);
}

TEST(OtlpMetrics, service_attributes_become_job_and_instance) {
  const auto with = [](std::string_view id, std::string_view more) {
    return text_of(
        metrics_of(gauge_json(R"("asInt":1)", attribute_json("service.name", "vllm") + "," +
                                                  attribute_json("service.namespace", "prod") +
                                                  "," + attribute_json("service.instance.id", id) +
                                                  std::string(more)),
                   Encoding::json));
  };
  EXPECT_EQ(with("n7:8000", ""),
            "# TYPE g gauge\ng{instance=\"n7:8000\",job=\"prod/vllm\",node_id=\"n7\"} 1\n");
  EXPECT_EQ(with("0e6b-uuid", ""),
            "# TYPE g gauge\ng{instance=\"0e6b-uuid\",job=\"prod/vllm\"} 1\n");
  EXPECT_EQ(with("n7:8000", "," + attribute_json("host.name", "n9")),
            "# TYPE g gauge\ng{instance=\"n7:8000\",job=\"prod/vllm\",node_id=\"n9\"} 1\n");
}

TEST(OtlpMetrics, other_resource_attributes_are_not_copied) {
  const auto decoded =
      metrics_of(gauge_json(R"("asInt":1)", attribute_json("os.type", "linux")), Encoding::json);
  EXPECT_EQ(text_of(decoded), "# TYPE g gauge\ng 1\n");
}

TEST(OtlpMetrics, labels_whose_names_become_equal_are_joined_and_empty_ones_left_out) {
  const auto decoded = metrics_of(
      gauge_json(R"("asInt":1,"attributes":[)" + attribute_json("a_b", "2") + "," +
                 attribute_json("a.b", "1") + "," + attribute_json("node.id", "x") + "," +
                 attribute_json("empty", "") + "," + attribute_json("a_b", "3") + "]"),
      Encoding::json);
  EXPECT_EQ(text_of(decoded), "# TYPE g gauge\ng{a_b=\"1;3\",exported_node_id=\"x\"} 1\n");
}

TEST(OtlpMetrics, delta_temporality_is_rejected_with_a_message) {
  const auto decoded =
      metrics_of(metric_json(R"("name":"c","sum":{"aggregationTemporality":1,"isMonotonic":true,
                     "dataPoints":[{"asInt":"1"},{"asInt":"2"}]})"),
                 Encoding::json);
  EXPECT_TRUE(decoded.items.empty());
  EXPECT_EQ(decoded.rejected, 2U);
  EXPECT_EQ(decoded.message, "c: delta temporality is not supported, export cumulative values");
}

TEST(OtlpMetrics, delta_temporality_can_be_kept_as_a_marked_gauge) {
  auto options = test_options();
  options.keep_delta = true;
  const auto decoded =
      metrics_of(metric_json(R"("name":"c","sum":{"aggregationTemporality":1,"isMonotonic":true,
                     "dataPoints":[{"asInt":"1"}]})"),
                 Encoding::json, options);
  EXPECT_EQ(text_of(decoded), "# TYPE c_total gauge\nc_total{otel_temporality=\"delta\"} 1\n");
}

TEST(OtlpMetrics, a_sum_without_temporality_is_rejected_and_one_that_falls_is_a_gauge) {
  EXPECT_EQ(
      metrics_of(metric_json(R"("name":"c","sum":{"dataPoints":[{"asInt":1}]})"), Encoding::json)
          .rejected,
      1U);
  EXPECT_EQ(text_of(metrics_of(
                metric_json(
                    R"("name":"c","sum":{"aggregationTemporality":2,"dataPoints":[{"asInt":1}]})"),
                Encoding::json)),
            "# TYPE c gauge\nc 1\n");
}

TEST(OtlpMetrics, times_are_exact_and_those_that_do_not_fit_are_rejected) {
  const auto at = [](std::string_view time) {
    return metrics_of(gauge_json(R"("asInt":1,"timeUnixNano":)" + std::string(time)),
                      Encoding::json);
  };
  EXPECT_EQ(at(R"("1544712660300000001")").items.front().timestamp_ns, 1544712660300000000);
  EXPECT_EQ(at("1544712660300000001").items.front().timestamp_ns, 1544712660300000000);
  // The last nanosecond of 2261, which is the last that the store keeps.
  EXPECT_EQ(at(R"("9214646399999999999")").items.front().timestamp_ns, 9214646399999000000);
  EXPECT_EQ(at(R"("0")").items.front().timestamp_ns, test_now_ns);
  EXPECT_EQ(at("null").items.front().timestamp_ns, test_now_ns);
  for (const char* late :
       {R"("9214646400000000000")", R"("9223372036854775807")", R"("18446744073709551615")"}) {
    EXPECT_EQ(at(late).rejected, 1U);
    EXPECT_EQ(at(late).message, "g: time beyond the year 2261");
  }
}

TEST(OtlpMetrics, a_point_without_recorded_value_is_skipped_and_not_rejected) {
  const auto decoded = metrics_of(gauge_json(R"("flags":1)"), Encoding::json);
  EXPECT_TRUE(decoded.items.empty());
  EXPECT_EQ(decoded.rejected, 0U);
  EXPECT_EQ(metrics_of(gauge_json(R"("timeUnixNano":"1")"), Encoding::json).rejected, 1U);
}

TEST(OtlpMetrics, numbers_that_are_none_arrive_as_such) {
  EXPECT_TRUE(std::isnan(
      metrics_of(gauge_json(R"("asDouble":"NaN")"), Encoding::json).items.front().value));
  EXPECT_EQ(metrics_of(gauge_json(R"("asDouble":"-Infinity")"), Encoding::json).items.front().value,
            -std::numeric_limits<double>::infinity());
  EXPECT_EQ(
      metrics_of(gauge_json(R"("asInt":"-9007199254740993")"), Encoding::json).items.front().value,
      -9007199254740992.0);
}

TEST(OtlpMetrics, a_histogram_whose_bounds_make_no_sense_is_rejected) {
  const auto rejected = [](std::string_view point) {
    return metrics_of(
               metric_json(R"("name":"h","histogram":{"aggregationTemporality":2,"dataPoints":[{)" +
                           std::string(point) + "}]}"),
               Encoding::json)
        .rejected;
  };
  EXPECT_EQ(rejected(R"("bucketCounts":[1,2],"explicitBounds":[1,2])"), 1U);
  EXPECT_EQ(rejected(R"("bucketCounts":[1,2,3],"explicitBounds":[2,1])"), 1U);
  EXPECT_EQ(rejected(R"("bucketCounts":[1,2],"explicitBounds":["NaN"])"), 1U);
  EXPECT_EQ(rejected(R"("explicitBounds":[1])"), 1U);
  EXPECT_EQ(rejected(R"("count":3)"), 0U);
}

TEST(OtlpMetrics, a_histogram_without_sum_has_none_and_an_infinite_bound_appears_once) {
  const auto decoded =
      metrics_of(metric_json(R"("name":"h","histogram":{"aggregationTemporality":2,"dataPoints":[
        {"count":"3","bucketCounts":["1","2","0"],"explicitBounds":[1,"Infinity"]}]})"),
                 Encoding::json);
  EXPECT_EQ(text_of(decoded),
            "# TYPE h_bucket counter\nh_bucket{le=\"+Inf\"} 3\nh_bucket{le=\"1\"} 1\n"
            "# TYPE h_count counter\nh_count 3\n");
}

TEST(OtlpMetrics, too_many_buckets_labels_or_bytes_are_rejected) {
  auto options = test_options();
  options.max_buckets = 2;
  options.max_labels = 1;
  const auto two =
      metrics_of(metric_json(R"("name":"h","histogram":{"aggregationTemporality":2,"dataPoints":[
        {"bucketCounts":[1,1,1],"explicitBounds":[1,2]}]})"),
                 Encoding::json, options);
  EXPECT_EQ(two.message, "h: more buckets than allowed");
  const auto labels =
      metrics_of(gauge_json(R"("asInt":1,"attributes":[)" + attribute_json("a", "1") + "," +
                            attribute_json("b", "2") + "]"),
                 Encoding::json, options);
  EXPECT_EQ(labels.message, "g: more attributes than a series may have");
  options.max_decoded_bytes = 100;
  const auto bytes = metrics_of(
      metric_json(R"("name":"g","gauge":{"dataPoints":[{"asInt":1},{"asInt":2},{"asInt":3},
                     {"asInt":4},{"asInt":5},{"asInt":6}]})"),
      Encoding::json, options);
  EXPECT_GT(bytes.items.size(), 0U);
  EXPECT_EQ(bytes.items.size() + bytes.rejected, 6U);
  EXPECT_GT(bytes.rejected, 0U);
}

TEST(OtlpMetrics, a_long_label_is_cut_between_characters) {
  auto options = test_options();
  options.max_label_bytes = 4;
  const auto decoded =
      metrics_of(gauge_json(R"("asInt":1,"attributes":[)" + attribute_json("k", "abcé") + "]"),
                 Encoding::json, options);
  EXPECT_EQ(decoded.items.front().labels.front().second, "abc");
}

TEST(OtlpMetrics, names_of_our_own_agent_and_of_prometheus_stay) {
  constexpr std::string_view counter =
      R"("name":"node_vmstat_pgfault","sum":{"aggregationTemporality":2,"isMonotonic":true,
         "dataPoints":[{"asInt":1}]})";
  EXPECT_EQ(metrics_of(metric_json(counter), Encoding::json).items.front().metric,
            "node_vmstat_pgfault_total");
  EXPECT_EQ(metrics_of(metric_json(counter, "", "auscult"), Encoding::json).items.front().metric,
            "node_vmstat_pgfault");
  EXPECT_EQ(metrics_of(metric_json(std::string(counter) + R"(,"metadata":[)" +
                                   attribute_json("prometheus.type", "counter") + "]"),
                       Encoding::json)
                .items.front()
                .metric,
            "node_vmstat_pgfault");
}

TEST(OtlpMetrics, a_metric_without_a_usable_name_is_rejected) {
  const auto decoded = metrics_of(
      metric_json(R"("name":"温度","gauge":{"dataPoints":[{"asInt":1}]})"), Encoding::json);
  EXPECT_EQ(decoded.rejected, 1U);
  EXPECT_EQ(decoded.message, "温度: no metric name that Prometheus could write");
}

// Protobuf does not promise an order: here the data come before the name, and the resource last.
TEST(OtlpMetrics, the_order_of_fields_does_not_matter) {
  const std::string point = field(7, field(1, "a") + field(2, field(1, "b"))) + "\x31" +
                            std::string("\x05\0\0\0\0\0\0\0", 8);
  const std::string metric = field(5, field(1, point)) + field(1, "late.name");
  const std::string resource = field(1, field(1, "host.name") + field(2, field(1, "n1")));
  const std::string body = field(1, field(2, field(2, metric)) + field(1, resource));
  EXPECT_EQ(text_of(metrics_of(body, Encoding::protobuf)),
            "# TYPE late_name gauge\nlate_name{a=\"b\",node_id=\"n1\"} 5\n");
}

TEST(OtlpMetrics, invalid_utf8_becomes_the_replacement_character) {
  const std::string point = field(7, field(1, "k") + field(2, field(1, "a\xff"))) + "\x31" +
                            std::string("\x05\0\0\0\0\0\0\0", 8);
  const std::string metric = field(1, "g\xff") + field(5, field(1, point));
  const auto decoded = metrics_of(field(1, field(2, field(2, metric))), Encoding::protobuf);
  EXPECT_EQ(text_of(decoded), "# TYPE g gauge\ng{k=\"a\xEF\xBF\xBD\"} 5\n");
}

TEST(OtlpMetrics, an_empty_request_holds_nothing) {
  EXPECT_TRUE(metrics_of("", Encoding::protobuf).items.empty());
  EXPECT_TRUE(metrics_of("{}", Encoding::json).items.empty());
}

}  // namespace
}  // namespace auscult::wire
