#include "serve/scrape_config.h"

#include <gtest/gtest.h>

#include <utility>

namespace auscult::serve {
namespace {

using model::Labels;

Result<std::vector<ScrapeJob>> parse(const std::string& text) {
  const auto root = parse_yaml(text, "serve.yaml");
  if (!root) return root.error();
  return parse_scrape_jobs(*root, "/etc/auscult");
}

std::string error_of(const std::string& text) {
  const auto jobs = parse(text);
  EXPECT_FALSE(jobs) << text;
  return jobs ? "" : jobs.error().message;
}

TEST(ScrapeConfig, is_written_as_prometheus_writes_it) {
  const auto jobs = parse(R"(
- job_name: gpu
  scrape_interval: 1m30s
  scrape_timeout: 5s
  metrics_path: /gpu
  scheme: http
  params:
    collect[]: [a, b c]
  honor_labels: true
  honor_timestamps: false
  sample_limit: 5000
  static_configs:
    - targets: ["node7:9400", 10.0.0.8:9400]
      labels: {rack: r1, empty: ""}
  file_sd_configs:
    - files: [targets/*.json, /srv/more.yml]
      refresh_interval: 1m
)");
  ASSERT_TRUE(jobs) << jobs.error().message;
  ASSERT_EQ(jobs->size(), 1U);
  const ScrapeJob& job = jobs->front();
  EXPECT_EQ(job.interval, std::chrono::seconds(90));
  EXPECT_EQ(job.files[0].patterns,
            (std::vector<std::string>{"/etc/auscult/targets/*.json", "/srv/more.yml"}));
  EXPECT_EQ(job.files[0].refresh_interval, std::chrono::minutes(1));

  const auto target = make_target(job, job.groups[0].targets[0], job.groups[0].labels);
  ASSERT_TRUE(target);
  EXPECT_EQ(target->base, "http://node7:9400");
  EXPECT_EQ(target->path, "/gpu?collect%5B%5D=a&collect%5B%5D=b%20c");
  EXPECT_EQ(target->labels, (Labels{{"instance", "node7:9400"}, {"job", "gpu"}, {"rack", "r1"}}));
  EXPECT_EQ(target->timeout, std::chrono::seconds(5));
  EXPECT_TRUE(target->honor_labels);
  EXPECT_FALSE(target->honor_timestamps);
  EXPECT_EQ(target->sample_limit, 5000U);
}

TEST(ScrapeConfig, labels_of_a_target_may_change_its_url_instance_and_job) {
  const auto target = make_target({.name = "j"}, "h:1",
                                  {{"__meta_rack", "r"},
                                   {"__metrics_path__", "/probe"},
                                   {"__param_target", "x/y"},
                                   {"instance", "node7"},
                                   {"job", "other"}});
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/probe?target=x%2Fy");
  EXPECT_EQ(target->labels, (Labels{{"instance", "node7"}, {"job", "other"}}));
}

TEST(ScrapeConfig, has_a_timeout_within_a_short_interval_by_default) {
  const auto jobs = parse("- {job_name: a, scrape_interval: 1s}\n- {job_name: b}\n");
  ASSERT_TRUE(jobs);
  EXPECT_EQ((*jobs)[0].timeout, std::chrono::seconds(1));
  EXPECT_EQ((*jobs)[1].interval, std::chrono::seconds(15));
  EXPECT_EQ((*jobs)[1].timeout, std::chrono::seconds(10));
}

TEST(ScrapeConfig, that_is_wrong_is_refused_with_its_line) {
  const std::pair<const char*, const char*> cases[] = {
      {"- job_name: a\n  scrape_intervall: 5s\n",
       "serve.yaml:2: unknown key 'scrape_intervall': did you mean 'scrape_interval'?"},
      {"- job_name: a\n  scheme: https\n",
       "serve.yaml:2: scheme 'https' is not supported: use http"},
      {"- job_name: a\n  scrape_interval: 5\n",
       "serve.yaml:2: '5' is no duration: write 250ms, 15s, 1h30m, 7d or 2w"},
      {"- job_name: a\n  scrape_interval: 31m\n",
       "serve.yaml:2: 'scrape_interval' must lie between 100ms and 30m"},
      {"- job_name: a\n  scrape_timeout: 16s\n",
       "serve.yaml:2: 'scrape_timeout' must be above 0 and at most the interval"},
      {"- job_name: a\n- job_name: a\n", "serve.yaml:2: there are two jobs 'a'"},
      {"- job_name: a\n  static_configs:\n    - targets: [h:1]\n      label: {}\n",
       "serve.yaml:4: unknown key 'label': did you mean 'labels'?"},
      {"- job_name: a\n  static_configs:\n    - targets:\n      - http://h:1\n",
       "serve.yaml:4: target 'http://h:1' is no address: write host:port, without scheme or path"},
      {"- job_name: a\n  static_configs:\n    - targets: [h:1]\n      labels:\n        a-b: c\n",
       "serve.yaml:5: 'a-b' is no name of a label"},
      {"- job_name: a\n  file_sd_configs:\n    - files: [x.txt]\n",
       "serve.yaml:3: 'x.txt' must end in .json, .yml or .yaml"},
      {"job_name: a\n", "serve.yaml:1: expected a list of jobs"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(error_of(text), message);
}

}  // namespace
}  // namespace auscult::serve
