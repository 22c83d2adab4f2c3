// load: sends made-up metrics, logs or spans to a server as fast as it takes them, and says how
// fast that was. All requests are built before the clock starts, so that what is measured is the
// server.
//
//   load remote_write|otlp_metrics|otlp_logs|otlp_spans URL [--items N] [--series N]
//        [--request N] [--per-series N] [--connections N]
//
// Prints one JSON object: items, seconds, rate (items/s), load_cpu_s, requests, retries.
#include <snappy.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "net/client.h"

namespace {

using auscult::ns_per_s;
using protozero::pbf_writer;

struct Plan {
  std::string kind;
  std::string url;
  size_t items = 2'000'000;
  size_t series = 100'000;
  size_t request = 5'000;  // items a request
  size_t per_series = 1;   // samples of one series in a request
  size_t connections = 20;
};

constexpr int64_t step_ms = 10'000;  // between two samples of a series

void add_label(pbf_writer& series, std::string_view name, std::string_view value) {
  pbf_writer label(series, 1);
  label.add_string(1, name.data(), name.size());
  label.add_string(2, value.data(), value.size());
}

// As a node_exporter's: 100 metrics on each of many nodes.
void add_labels(pbf_writer& series, size_t number) {
  add_label(series, "__name__", "node_load_metric_" + std::to_string(number % 100) + "_total");
  add_label(series, "cluster", "perf");
  add_label(series, "device", "nvme" + std::to_string(number % 8) + "n1");
  add_label(series, "instance", "node" + std::to_string(number / 100) + ":9100");
  add_label(series, "job", "node");
}

// Grows unevenly, as counters do, and is a whole number for most.
double value_of(size_t number, size_t round) {
  const auto steps = static_cast<double>(round);
  const auto slope = static_cast<double>(number % 97);
  return number % 3 == 0 ? steps * slope * 0.01 : steps * slope + static_cast<double>(round % 5);
}

std::string snappy_of(const std::string& text) {
  std::string compressed;
  snappy::Compress(text.data(), text.size(), &compressed);
  return compressed;
}

std::vector<std::string> remote_write_requests(const Plan& plan, int64_t begin_ms) {
  std::vector<std::string> requests;
  const size_t series_in_request = plan.request / plan.per_series;
  for (size_t item = 0, first_round = 0; item < plan.items; first_round += plan.per_series) {
    for (size_t first = 0; first < plan.series && item < plan.items; first += series_in_request) {
      std::string body;
      pbf_writer request(body);
      for (size_t i = first; i < std::min(plan.series, first + series_in_request); ++i) {
        pbf_writer series(request, 1);
        add_labels(series, i);
        for (size_t round = first_round; round < first_round + plan.per_series; ++round) {
          pbf_writer sample(series, 2);
          sample.add_double(1, value_of(i, round));
          sample.add_int64(2, begin_ms + static_cast<int64_t>(round) * step_ms);
          ++item;
        }
      }
      requests.push_back(snappy_of(body));
    }
  }
  return requests;
}

void add_attribute(pbf_writer& owner, uint32_t field, std::string_view key,
                   std::string_view value) {
  pbf_writer attribute(owner, field);
  attribute.add_string(1, key.data(), key.size());
  pbf_writer any(attribute, 2);
  any.add_string(1, value.data(), value.size());
}

std::string node_of(size_t request) { return "node" + std::to_string(request % 1000); }

std::vector<std::string> otlp_metrics_requests(const Plan& plan, int64_t begin_ms) {
  std::vector<std::string> requests;
  const size_t n_nodes = std::max<size_t>(1, plan.series / plan.request);
  for (size_t item = 0, number = 0; item < plan.items; ++number) {
    const int64_t time_ns =
        (begin_ms + static_cast<int64_t>(number / n_nodes) * step_ms) * 1'000'000;
    std::string body;
    {
      pbf_writer request(body);
      pbf_writer resource_metrics(request, 1);
      {
        pbf_writer resource(resource_metrics, 1);
        add_attribute(resource, 1, "host.name", node_of(number % n_nodes));
        add_attribute(resource, 1, "service.name", "perf");
      }
      pbf_writer scope_metrics(resource_metrics, 2);
      constexpr size_t points_in_metric = 50;
      for (size_t i = 0; i < plan.request; i += points_in_metric) {
        pbf_writer metric(scope_metrics, 2);
        metric.add_string(1, "perf.metric." + std::to_string(i / points_in_metric));
        pbf_writer gauge(metric, 5);
        for (size_t k = i; k < std::min(plan.request, i + points_in_metric); ++k) {
          pbf_writer point(gauge, 1);
          point.add_fixed64(3, static_cast<uint64_t>(time_ns));
          point.add_double(4, value_of(k, number / n_nodes));
          add_attribute(point, 7, "device", "nvme" + std::to_string(k % points_in_metric) + "n1");
          add_attribute(point, 7, "direction", "read");
          ++item;
        }
      }
    }
    requests.push_back(std::move(body));
  }
  return requests;
}

std::vector<std::string> otlp_logs_requests(const Plan& plan, int64_t begin_ms) {
  std::vector<std::string> requests;
  for (size_t item = 0; item < plan.items;) {
    std::string body;
    {
      pbf_writer request(body);
      pbf_writer resource_logs(request, 1);
      {
        pbf_writer resource(resource_logs, 1);
        add_attribute(resource, 1, "host.name", node_of(requests.size()));
      }
      pbf_writer scope_logs(resource_logs, 2);
      for (size_t i = 0; i < plan.request; ++i, ++item) {
        pbf_writer record(scope_logs, 2);
        record.add_fixed64(1, static_cast<uint64_t>(begin_ms * 1'000'000) + item * 1000);
        record.add_enum(2, 9);
        const std::string line = "[rank" + std::to_string(item % 64) + "]: step " +
                                 std::to_string(item / 64) + " loss " +
                                 std::to_string(2.0 + static_cast<double>(item % 1000) * 1e-3) +
                                 " tokens/s 41230 grad norm 0.87 data wait 12 ms";
        {
          pbf_writer any(record, 5);
          any.add_string(1, line);
        }
        add_attribute(record, 6, "log.source", "trainer");
        add_attribute(record, 6, "job_id", "job-17");
      }
    }
    requests.push_back(std::move(body));
  }
  return requests;
}

std::string id_bytes(uint64_t number, size_t n_bytes) {
  std::string bytes(n_bytes, '\1');
  for (size_t i = 0; i < sizeof number; ++i) bytes[i] = static_cast<char>(number >> (8 * i));
  return bytes;
}

std::vector<std::string> otlp_spans_requests(const Plan& plan, int64_t begin_ms) {
  std::vector<std::string> requests;
  for (size_t item = 0; item < plan.items;) {
    std::string body;
    {
      pbf_writer request(body);
      pbf_writer resource_spans(request, 1);
      {
        pbf_writer resource(resource_spans, 1);
        add_attribute(resource, 1, "service.name", "nccl");
        add_attribute(resource, 1, "host.name", node_of(requests.size()));
      }
      pbf_writer scope_spans(resource_spans, 2);
      for (size_t i = 0; i < plan.request; ++i, ++item) {
        pbf_writer span(scope_spans, 2);
        span.add_bytes(1, id_bytes(item / 8 + 1, 16));
        span.add_bytes(2, id_bytes(item + 1, 8));
        span.add_string(5, item % 2 == 0 ? "AllReduce" : "ReduceScatter");
        span.add_enum(6, 1);
        const auto begin_ns = static_cast<uint64_t>(begin_ms * 1'000'000) + item * 1000;
        span.add_fixed64(7, begin_ns);
        span.add_fixed64(8, begin_ns + 1'000'000 + (item % 1000) * 1000);
        add_attribute(span, 9, "rank", std::to_string(item % 64));
        add_attribute(span, 9, "bytes", "268435456");
      }
    }
    requests.push_back(std::move(body));
  }
  return requests;
}

struct Progress {
  std::atomic<size_t> retries{0};
  std::atomic<bool> failed{false};
};

// Requests of the same series, `lanes` apart, go over one connection in the order of their time, as
// the shards of a Prometheus send them: another order would be refused by some servers.
void send(const Plan& plan, const std::vector<std::string>& requests, size_t lanes,
          size_t connection, Progress& progress) {
  const auto url = auscult::net::parse_url(plan.url);
  const auto slash = plan.url.find('/', plan.url.find("//") + 2);
  auto client = auscult::net::HttpClient::create(plan.url.substr(0, slash));
  if (!url || !client) {
    std::fprintf(stderr, "load: not an address: %s\n", plan.url.c_str());
    progress.failed = true;
    return;
  }
  auscult::net::Headers headers = {{"Content-Type", "application/x-protobuf"}};
  if (plan.kind == "remote_write") {
    headers.emplace_back("Content-Encoding", "snappy");
    headers.emplace_back("X-Prometheus-Remote-Write-Version", "0.1.0");
  }
  for (size_t i = 0; i < requests.size() && !progress.failed; ++i) {
    if (i % lanes % plan.connections != connection) continue;
    while (!progress.failed) {
      const auto answer =
          client->request("POST", url->path, headers, requests[i], std::chrono::seconds(60));
      if (answer && answer->status / 100 == 2) break;
      if (answer && answer->status != 429 && answer->status != 503) {
        std::fprintf(stderr, "load: status %d: %s\n", answer->status, answer->body.c_str());
        progress.failed = true;
        return;
      }
      ++progress.retries;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
}

double cpu_seconds() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Plan plan_from(int argc, char** argv) {
  Plan plan;
  if (argc < 3) return plan;
  plan.kind = argv[1];
  plan.url = argv[2];
  std::map<std::string, size_t*> numbers = {{"--items", &plan.items},
                                            {"--series", &plan.series},
                                            {"--request", &plan.request},
                                            {"--per-series", &plan.per_series},
                                            {"--connections", &plan.connections}};
  for (int i = 3; i + 1 < argc; i += 2) {
    const auto number = numbers.find(argv[i]);
    if (number == numbers.end()) {
      plan.kind.clear();
      return plan;
    }
    *number->second = static_cast<size_t>(std::strtoull(argv[i + 1], nullptr, 10));
  }
  return plan;
}

}  // namespace

int main(int argc, char** argv) {
  const Plan plan = plan_from(argc, argv);
  const std::map<std::string, std::vector<std::string> (*)(const Plan&, int64_t)> kinds = {
      {"remote_write", remote_write_requests},
      {"otlp_metrics", otlp_metrics_requests},
      {"otlp_logs", otlp_logs_requests},
      {"otlp_spans", otlp_spans_requests}};
  const auto kind = kinds.find(plan.kind);
  if (kind == kinds.end()) {
    std::fputs(
        "usage: load remote_write|otlp_metrics|otlp_logs|otlp_spans URL [--items N] "
        "[--series N] [--request N] [--per-series N] [--connections N]\n",
        stderr);
    return 2;
  }
  const auto rounds = static_cast<int64_t>(plan.items / std::max<size_t>(1, plan.series) + 1);
  const int64_t begin_ms = auscult::system_clock().now_ns() / 1'000'000 - (rounds + 6) * step_ms;
  const std::vector<std::string> requests = kind->second(plan, begin_ms);
  // Requests that hold every series once; logs and spans have none and go anywhere.
  const size_t series_in_request = std::max<size_t>(1, plan.request / plan.per_series);
  const size_t lanes =
      plan.kind == "remote_write" || plan.kind == "otlp_metrics"
          ? std::max<size_t>(1, (plan.series + series_in_request - 1) / series_in_request)
          : plan.connections;
  Progress progress;
  const double cpu_before = cpu_seconds();
  const auto begin = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> senders;
    for (size_t i = 0; i < plan.connections; ++i) {
      senders.emplace_back([&, i] { send(plan, requests, lanes, i, progress); });
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (progress.failed) return 1;
  const size_t items = plan.kind == "remote_write" ? plan.items : requests.size() * plan.request;
  std::printf(
      "{\"items\": %zu, \"seconds\": %.3f, \"rate\": %.0f, \"load_cpu_s\": %.3f, "
      "\"requests\": %zu, \"retries\": %zu}\n",
      items, took.count(), static_cast<double>(items) / took.count(), cpu_seconds() - cpu_before,
      requests.size(), progress.retries.load());
  return 0;
}
