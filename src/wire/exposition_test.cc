#include "wire/exposition.h"

#include <random>

#include "wire/testing_prometheus.h"

namespace auscult::wire {
namespace {

using model::Labels;
using model::MetricKind;
using model::PlainSeriesIndex;

constexpr auto prometheus_text = ExpositionFormat::prometheus_text;
constexpr auto openmetrics = ExpositionFormat::openmetrics;
constexpr int64_t now_ms = 1'600'000'000'000;

ScrapeTarget target() { return {.labels = {{"instance", "n7:9100"}, {"job", "node"}}}; }

ScrapeTarget no_target() { return {}; }

Exposition scraped(std::string_view text, ExpositionFormat format, model::SeriesIndex& index,
                   const ScrapeTarget& of = no_target()) {
  auto exposition = decode_exposition(text, format, of, {.now_ms = now_ms}, index);
  EXPECT_TRUE(exposition) << exposition.error().message;
  return exposition ? std::move(*exposition) : Exposition{};
}

// What stands in the line, written once more: metric{labels} value time.
std::string text_of(const Exposition& exposition) {
  std::string text;
  for (size_t i = 0; i < exposition.points.size(); ++i) {
    const model::Series& series = *exposition.points.series[i];
    text += series.metric + "{";
    for (const auto& [name, value] : series.labels)
      text.append(name).append("=").append(value) += ",";
    text += "} " + format_number(exposition.points.values[i], 17) + " " +
            std::to_string(exposition.points.timestamps_ms[i]) + "\n";
  }
  return text;
}

std::string error_of(std::string_view text, ExpositionFormat format) {
  PlainSeriesIndex index;
  const auto exposition = decode_exposition(text, format, no_target(), {}, index);
  EXPECT_FALSE(exposition) << text;
  if (exposition) return {};
  EXPECT_EQ(exposition.error().code, ErrorCode::invalid_input);
  return exposition.error().message.substr(std::string_view("malformed exposition: ").size());
}

// The example of prometheus.io/docs/instrumenting/exposition_formats, with its oddities.
TEST(Exposition, the_example_of_the_text_format_is_read) {
  PlainSeriesIndex index;
  const auto exposition = scraped(R"(# HELP http_requests_total The total number of HTTP requests.
# TYPE http_requests_total counter
http_requests_total{method="post",code="200"} 1027 1395066363000
http_requests_total{method="post",code="400"}    3 1395066363000

# Escaping in label values:
msdos_file_access_time_seconds{path="C:\\DIR\\FILE.TXT",error="Cannot find file:\n\"FILE.TXT\""} 1.458255915e9

# Minimalistic line:
metric_without_timestamp_and_labels 12.47

# A weird metric from before the epoch:
something_weird{problem="division by zero"} +Inf -3982045

# A summary, which has a complex representation, too:
# TYPE rpc_duration_seconds summary
rpc_duration_seconds{quantile="0.01"} 3102
rpc_duration_seconds_sum 1.7560473e+07)",
                                  prometheus_text, index);

  EXPECT_EQ(text_of(exposition), R"(http_requests_total{code=200,method=post,} 1027 1395066363000
http_requests_total{code=400,method=post,} 3 1395066363000
msdos_file_access_time_seconds{error=Cannot find file:
"FILE.TXT",path=C:\DIR\FILE.TXT,} 1458255915 1600000000000
metric_without_timestamp_and_labels{} 12.470000000000001 1600000000000
rpc_duration_seconds{quantile=0.01,} 3102 1600000000000
rpc_duration_seconds_sum{} 17560473 1600000000000
)");
  EXPECT_EQ(exposition.rejected.samples, 1U);
  EXPECT_EQ(exposition.rejected.message, "something_weird: a time before 1970 or beyond 2261");
  EXPECT_EQ(exposition.points.series[0]->kind, MetricKind::counter);
  EXPECT_EQ(exposition.points.series[4]->kind, MetricKind::gauge);
  EXPECT_EQ(exposition.points.series[5]->kind, MetricKind::counter);
}

TEST(Exposition, openmetrics_has_seconds_exemplars_and_an_end) {
  PlainSeriesIndex index;
  const auto exposition = scraped(R"(# TYPE foo counter
# UNIT foo_seconds seconds
# HELP foo Some "help".
foo_total{a="1"} 17.0 1520879607.789 # {trace_id="KOO5S4vxi0o"} 0.67
foo_total{a="#"} 18 # {id="}"} 0.5 1520879607.789
foo_created 1520872607.123
# TYPE up gauge
up 1 1.001
# EOF
)",
                                  openmetrics, index);

  EXPECT_EQ(text_of(exposition), R"(foo_total{a=1,} 17 1520879607789
foo_total{a=#,} 18 1600000000000
foo_created{} 1520872607.1229999 1600000000000
up{} 1 1001
)");
  EXPECT_EQ(exposition.exemplars, 2U);
  EXPECT_EQ(exposition.points.series[0]->kind, MetricKind::counter);
  EXPECT_EQ(exposition.points.series[2]->kind, MetricKind::gauge);
  EXPECT_TRUE(scraped("# EOF", openmetrics, index).points.empty());
}

TEST(Exposition, blanks_commas_and_names_in_quotes_are_free_in_the_text_format) {
  PlainSeriesIndex index;
  const auto exposition = scraped(
      "  m { a = \"1\" , } 1\n"
      "\tm{a=\"1\"}\t2\t5 \n"
      "{\"m\",\"a\"=\"1\"} 3\n"
      "#comment\n#\n# TYPE\n"
      "{\"my.metric\", \"the.label\"=\"x\"} 4\n",
      prometheus_text, index);
  ASSERT_EQ(exposition.points.size(), 4U);
  EXPECT_EQ(exposition.points.series[1], exposition.points.series[0]);
  EXPECT_EQ(exposition.points.series[2], exposition.points.series[0]);
  EXPECT_EQ(exposition.points.timestamps_ms[1], 5);
  EXPECT_EQ(exposition.points.series[3]->metric, "my.metric");
  EXPECT_EQ(exposition.points.series[3]->labels, (Labels{{"the.label", "x"}}));
}

TEST(Exposition, a_value_is_what_go_parses) {
  PlainSeriesIndex index;
  const auto exposition = scraped(
      "a +1\na -1e3\na .5\na Inf\na -inf\na 1e-400\na +Infinity\na NaN\n", prometheus_text, index);
  const double infinity = std::numeric_limits<double>::infinity();
  auto values = exposition.points.values;
  ASSERT_EQ(values.size(), 8U);
  EXPECT_EQ(std::bit_cast<uint64_t>(values.back()), 0x7ff8000000000001);
  values.pop_back();
  EXPECT_EQ(values, (std::vector<double>{1, -1000, .5, infinity, -infinity, 0, infinity}));
  for (const char* bad :
       {"1e400", "0x1p3", "1_0", "--1", "+-1", "-nan", "nan(1)", "1,5", "x", "+"}) {
    EXPECT_EQ(error_of("a " + std::string(bad), prometheus_text),
              "line 1: '" + std::string(bad) + "' is no number");
  }
}

TEST(Exposition, a_kind_comes_from_the_type_of_the_family_alone) {
  PlainSeriesIndex index;
  const auto exposition = scraped(R"(# TYPE a gauge
a_total 1
a 1
# TYPE queue_count gauge
queue_count 1
# TYPE odd counter
odd 1
other 1
other_total 1
# TYPE h histogram
h_bucket{le="1"} 1
h_count 1
# TYPE u untyped
u_sum 1
u 1
)",
                                  prometheus_text, index);
  std::vector<MetricKind> kinds;
  for (const auto* series : exposition.points.series) kinds.push_back(series->kind);
  const auto c = MetricKind::counter;
  const auto g = MetricKind::gauge;
  EXPECT_EQ(kinds, (std::vector{c, g, g, c, g, c, c, c, c, g}));
}

TEST(Exposition, labels_of_the_target_win_and_the_scraped_ones_are_exported) {
  PlainSeriesIndex index;
  const auto exposition = scraped(
      R"(m{job="x",exported_job="y",other="z"} 1
m{job=""} 2
)",
      prometheus_text, index, target());
  EXPECT_EQ(exposition.points.series.at(0)->labels, (Labels{{"exported_exported_job", "x"},
                                                            {"exported_job", "y"},
                                                            {"instance", "n7:9100"},
                                                            {"job", "node"},
                                                            {"other", "z"}}));
  EXPECT_EQ(exposition.points.series.at(0)->tags, (model::Tags{.node_id = "n7"}));
  EXPECT_EQ(exposition.points.series.at(1)->labels,
            (Labels{{"instance", "n7:9100"}, {"job", "node"}}));
}

TEST(Exposition, honoured_labels_win_even_when_empty) {
  PlainSeriesIndex index;
  auto honoured = target();
  honoured.honor_labels = true;
  const auto exposition =
      scraped("m{job=\"x\"} 1\nm{job=\"\"} 1\n", prometheus_text, index, honoured);
  EXPECT_EQ(exposition.points.series.at(0)->labels,
            (Labels{{"instance", "n7:9100"}, {"job", "x"}}));
  EXPECT_EQ(exposition.points.series.at(1)->labels, (Labels{{"instance", "n7:9100"}}));
}

TEST(Exposition, the_same_line_of_two_targets_is_two_series) {
  PlainSeriesIndex index;
  auto other = target();
  other.labels[0].second = "n8:9100";
  auto honoured = target();
  honoured.honor_labels = true;
  const auto* first = scraped("m{job=\"x\"} 1", prometheus_text, index, target()).points.series[0];
  const auto* second = scraped("m{job=\"x\"} 1", prometheus_text, index, other).points.series[0];
  const auto* third = scraped("m{job=\"x\"} 1", prometheus_text, index, honoured).points.series[0];
  const auto* again = scraped("m{job=\"x\"} 2", prometheus_text, index, target()).points.series[0];
  EXPECT_NE(first, second);
  EXPECT_NE(first, third);
  EXPECT_EQ(first, again);
}

class CountingIndex : public PlainSeriesIndex {
 public:
  Result<const model::Series*> add(const model::SeriesKey& key, model::Series series) override {
    ++n_added;
    if (series.metric == "refused") return Error{ErrorCode::invalid_input, "full: refused"};
    return PlainSeriesIndex::add(key, std::move(series));
  }
  int n_added = 0;
};

TEST(Exposition, a_known_line_is_not_parsed_into_labels_again) {
  CountingIndex index;
  scraped("m{a=\"}\\\"\"} 1 5\n", prometheus_text, index);
  const auto second = scraped("m{a=\"}\\\"\"} 2\n", prometheus_text, index);
  EXPECT_EQ(index.n_added, 1);
  EXPECT_EQ(second.points.values, (std::vector<double>{2}));
}

TEST(Exposition, times_given_count_only_when_they_are_honoured) {
  PlainSeriesIndex index;
  const auto exposition = decode_exposition("m 1 5\n", prometheus_text, no_target(),
                                            {.now_ms = now_ms, .honor_timestamps = false}, index);
  ASSERT_TRUE(exposition);
  EXPECT_EQ(exposition->points.timestamps_ms, (std::vector<int64_t>{now_ms}));
}

TEST(Exposition, what_is_beyond_the_limits_is_rejected_and_the_rest_kept) {
  CountingIndex index;
  std::string many = "many{";
  for (int i = 0; i < 65; ++i) many += "l" + std::to_string(i) + "=\"x\",";
  const std::string text =
      "long{a=\"" + std::string(4097, 'x') + "\"} 1\n" + many + "} 1\nrefused 1\nkept 1\nkept 2\n";
  const auto exposition = decode_exposition(text, prometheus_text, no_target(),
                                            {.now_ms = now_ms, .max_samples = 1}, index);
  ASSERT_TRUE(exposition);
  EXPECT_EQ(exposition->points.values, (std::vector<double>{1}));
  EXPECT_EQ(exposition->rejected.samples, 4U);
  EXPECT_EQ(exposition->rejected.message, "long: a label longer than one may be");
}

struct Bad {
  std::string_view text;
  std::string_view error;
};

TEST(Exposition, a_malformed_line_is_named_with_its_number) {
  const Bad cases[] = {
      {"a 1\nb\n", "line 2: no value after the series"},
      {"a 1 x", "line 1: a time that is no number of milliseconds"},
      {"a 1 1.5", "line 1: a time that is no number of milliseconds"},
      {"a 1 5 6", "line 1: more than a value and a time after the series"},
      {"a 1 # {b=\"c\"} 1", "line 1: more than a value and a time after the series"},
      {"a 1\r\n", "line 1: '1\r' is no number"},
      {"a{b=\"c} 1\nd 1", "line 1: a quote that is not closed"},
      {"a{b=\"c\" 1", "line 1: a '{' that is not closed"},
      {"a{b} 1", "line 1: no '=' after the label b"},
      {"a{b=c} 1", "line 1: no quote after the '=' of the label b"},
      {"a{=\"c\"} 1", "line 1: no label name where one should be"},
      {"a{,} 1", "line 1: no label name where one should be"},
      {"a{b=\"c\"d=\"e\"} 1", "line 1: neither ',' nor '}' after a label"},
      {"a{b=\"c\",b=\"d\"} 1", "line 1: a label given twice"},
      {"a{b=\"\xff\"} 1", "line 1: invalid UTF-8"},
      {"{b=\"c\"} 1", "line 1: a series without a name"},
      {"{\"a\",\"b\"} 1", "line 1: a label given twice"},
      {"1a 1", "line 1: no metric name where one should be"},
      {"a-b 1", "line 1: no metric name where one should be"},
      {"\n# TYPE a thing", "line 2: 'thing' is no type of a metric"},
      {"# TYPE a info", "line 1: 'info' is no type of a metric"},
      {"# HELP 1", "line 1: no metric name after HELP"},
  };
  for (const auto& bad : cases) EXPECT_EQ(error_of(bad.text, prometheus_text), bad.error);
}

TEST(Exposition, openmetrics_is_strict) {
  const Bad cases[] = {
      {"", "no # EOF at the end"},
      {"a 1\n", "no # EOF at the end"},
      {"a 1\n# EOF\n\n", "line 3: text after # EOF"},
      {"a 1\n\n# EOF", "line 2: no value after the series"},
      {"a  1\n# EOF", "line 1: '' is no number"},
      {"a 1 \n# EOF", "line 1: more than a value and a time after the series"},
      {"a{b=\"c\", d=\"e\"} 1\n# EOF", "line 1: no label name where one should be"},
      {"# something\n# EOF", "line 1: a comment that is none of HELP, TYPE, UNIT, EOF"},
      {"# EOF ", "line 1: a comment that is none of HELP, TYPE, UNIT, EOF"},
      {"# TYPE a untyped\n# EOF", "line 1: 'untyped' is no type of a metric"},
      {"a 1 NaN\n# EOF", "line 1: a time that is no number of seconds"},
      {"a 1 #\n# EOF", "line 1: no labels after '#'"},
      {"a 1 # {b=\"c\"}\n# EOF", "line 1: no value in the exemplar"},
      {"a 1 # {b=\"c\"} 1 2 3\n# EOF", "line 1: more than a value and a time in the exemplar"},
  };
  for (const auto& bad : cases) EXPECT_EQ(error_of(bad.text, openmetrics), bad.error) << bad.text;
}

TEST(Exposition, the_content_type_tells_the_format) {
  EXPECT_EQ(exposition_format("application/openmetrics-text; version=1.0.0"), openmetrics);
  EXPECT_EQ(exposition_format("text/plain; version=0.0.4"), prometheus_text);
  EXPECT_EQ(exposition_format(""), prometheus_text);
}

TEST(Exposition, a_line_beyond_a_mebibyte_is_malformed) {
  EXPECT_EQ(error_of("a{" + std::string(size_t{1} << 20U, ' ') + "} 1", prometheus_text),
            "line 1: longer than 1 MiB");
}

TEST(Exposition, mutated_texts_never_crash) {
  std::mt19937 random(12);
  const std::string alphabet = "{}\",=# \n\t\\ae1.:-+_\xff";
  const std::string whole =
      "# TYPE a counter\na_total{b=\"c\\n\",d=\"e\"} 1 5 # {x=\"y\"} 2 3\n{\"q\",r=\"s\"} NaN\n# "
      "EOF\n";
  for (int i = 0; i < 50'000; ++i) {
    std::string bad = whole;
    for (auto flips = 1 + random() % 4; flips > 0; --flips) {
      bad[random() % bad.size()] = alphabet[random() % alphabet.size()];
    }
    if (random() % 4 == 0) bad.resize(random() % bad.size());
    PlainSeriesIndex index;
    (void)decode_exposition(bad, openmetrics, target(), {}, index);
    (void)decode_exposition(bad, prometheus_text, target(), {}, index);
  }
}

}  // namespace
}  // namespace auscult::wire
