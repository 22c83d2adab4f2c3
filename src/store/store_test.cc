// The store on the real libchdb: what is acknowledged is there, once, whatever happens in between.

#include "store/store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <future>
#include <iostream>
#include <limits>
#include <memory>
#include <random>
#include <set>

#include "base/file.h"
#include "base/loop.h"
#include "base/process.h"
#include "base/text.h"
#include "store/group.h"
#include "store/journal.h"
#include "store/test_folder.h"
#include "store/test_library.h"

namespace auscult::store {
namespace {

namespace fs = std::filesystem;

constexpr int64_t t0_ns = 1'764'580'000 * ns_per_s;  // 2025-12-01T09:06:40Z

fs::path library() {
  const char* path = std::getenv("AUSCULT_LIBCHDB");
  return path == nullptr ? "" : path;
}

StoreOptions options_for(const fs::path& folder) {
  return {.engine = {.data = folder / "data", .library = library()},
          .writer = {.max_delay = std::chrono::milliseconds(20)}};
}

model::Tags on_node(const std::string& node) { return {.node_id = node}; }

model::Sample sample(const std::string& metric, int64_t timestamp_ns, double value,
                     model::Labels labels = {}) {
  return {.metric = metric,
          .labels = std::move(labels),
          .tags = on_node("node1"),
          .timestamp_ns = timestamp_ns,
          .value = value};
}

// Batch number i: three samples and one log line, the same whoever makes it.
Batch numbered(int64_t i, size_t body_bytes = 0) {
  Batch batch{.id = "batch-" + std::to_string(i)};
  for (int64_t k = 0; k < 3; ++k) {
    batch.samples.push_back(
        sample("m" + std::to_string(k), t0_ns + i * 1'000'000, static_cast<double>(i)));
  }
  std::string body = std::to_string(i);
  std::mt19937_64 random(static_cast<uint64_t>(i));  // so that nothing compresses
  while (body.size() < body_bytes) body += " " + std::to_string(random());
  batch.logs.push_back({.timestamp_ns = t0_ns + i, .source = "test", .body = body});
  return batch;
}

class StoreTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_library(library().c_str()); !why.empty())
      GTEST_SKIP() << why;
  }

  void open() { open(options_for(folder_.path())); }
  void open(const StoreOptions& options) {
    store_.reset();
    auto store = Store::open(options, system_clock());
    ASSERT_TRUE(store) << store.error().message;
    store_ = *std::move(store);
  }

  void write(Batch batch) {
    const auto done = store_->write_and_wait(std::move(batch));
    ASSERT_TRUE(done) << done.error().message;
  }

  std::string cell(const std::string& sql) { return cell_of(*store_, sql); }
  static std::string cell_of(Store& store, const std::string& sql) {
    const auto table = store.engine().query_user(sql, {});
    if (!table) return "error: " + table.error().message;
    return table->rows.empty() ? "no rows" : table->rows[0][0];
  }

  // Each of the batches 0 .. n - 1 must be there exactly once.
  static void expect_each_once(Store& store, int64_t n) {
    EXPECT_EQ(cell_of(store, "SELECT count() FROM logs"), std::to_string(n));
    EXPECT_EQ(cell_of(store, "SELECT uniqExact(timestamp) FROM logs"), std::to_string(n));
    EXPECT_EQ(cell_of(store, "SELECT count() FROM samples"), std::to_string(3 * n));
    EXPECT_EQ(cell_of(store, "SELECT uniqExact(id, timestamp) FROM samples"),
              std::to_string(3 * n));
  }

  TestFolder folder_{testing::TempDir(), "store"};
  std::unique_ptr<Store> store_;
};

TEST_F(StoreTest, reads_back_series_with_labels_and_tags) {
  open();
  Batch batch;
  batch.samples = {sample("load", t0_ns + 2 * ns_per_s, 3, {{"cpu", "0"}, {"quote", "it's \\ \n"}}),
                   sample("load", t0_ns, 1, {{"cpu", "0"}, {"quote", "it's \\ \n"}}),
                   sample("load", t0_ns, 7, {{"cpu", "1"}}),
                   sample("load", t0_ns + 10 * ns_per_s, 9, {{"cpu", "1"}}),
                   sample("other", t0_ns, 5)};
  batch.samples[3].value = std::numeric_limits<double>::quiet_NaN();
  write(batch);

  const auto all = store_->read_series({.metric = "load", .range = {t0_ns, t0_ns + 60 * ns_per_s}});
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 2U);
  const auto one = store_->read_series({.metric = "load",
                                        .node_id = "node1",
                                        .labels = {{"quote", "it's \\ \n"}},
                                        .range = {t0_ns, t0_ns + 60 * ns_per_s}});
  ASSERT_TRUE(one) << one.error().message;
  ASSERT_EQ(one->size(), 1U);
  const Series& series = one->front();
  EXPECT_EQ(series.labels, batch.samples[0].labels);
  EXPECT_EQ(series.tags, on_node("node1"));
  ASSERT_EQ(series.points.size(), 2U);
  EXPECT_EQ(series.points[0].timestamp_ns, t0_ns);
  EXPECT_EQ(series.points[0].value, 1);
  EXPECT_EQ(series.points[1].timestamp_ns, t0_ns + 2 * ns_per_s);
  EXPECT_EQ(series.points[1].value, 3);

  const auto narrow = store_->read_series(
      {.metric = "load", .labels = {{"cpu", "1"}}, .range = {t0_ns + 1, t0_ns + 60 * ns_per_s}});
  ASSERT_EQ(narrow->size(), 1U);
  ASSERT_EQ(narrow->front().points.size(), 1U);
  EXPECT_TRUE(std::isnan(narrow->front().points[0].value));
  EXPECT_TRUE(
      store_->read_series({.metric = "load", .node_id = "x", .range = {0, INT64_MAX}})->empty());
  EXPECT_EQ(*store_->node_ids({t0_ns, t0_ns + 1}), std::vector<std::string>{"node1"});
  EXPECT_TRUE(store_->node_ids({0, t0_ns})->empty());
}

TEST_F(StoreTest, of_samples_with_one_time_the_last_stored_counts) {
  open();
  write({.samples = {sample("m", t0_ns, 1)}});
  write({.samples = {sample("m", t0_ns, 2)}});
  const auto series = store_->read_series({.metric = "m", .range = {0, INT64_MAX}});
  ASSERT_EQ(series->size(), 1U);
  ASSERT_EQ(series->front().points.size(), 1U);
  EXPECT_EQ(series->front().points[0].value, 2);
}

TEST_F(StoreTest, reads_back_logs_and_keeps_the_newest) {
  open();
  Batch batch;
  for (int64_t i = 0; i < 5; ++i) {
    batch.logs.push_back({.timestamp_ns = t0_ns + i,
                          .observed_ns = t0_ns + 100 + i,
                          .severity = 17,
                          .source = i % 2 == 0 ? "kernel" : "nccl",
                          .body = "line\t" + std::to_string(i) + "\nnext 'quoted' \\",
                          .trace_id = "aa",
                          .span_id = "bb",
                          .attributes = {{"a", "x'y"}, {"b", ""}},
                          .tags = {.cluster = "c", .node_id = "n", .job_id = "j", .rank = "3"}});
  }
  write(batch);
  const auto logs = store_->read_logs(
      {.node_id = "n", .source = "kernel", .range = {t0_ns, t0_ns + 100}, .limit = 2});
  ASSERT_TRUE(logs) << logs.error().message;
  ASSERT_EQ(logs->size(), 2U);
  EXPECT_EQ(logs->front().timestamp_ns, t0_ns + 2);
  const model::LogRecord& last = logs->back();
  EXPECT_EQ(last.timestamp_ns, t0_ns + 4);
  EXPECT_EQ(last.observed_ns, t0_ns + 104);
  EXPECT_EQ(last.severity, 17);
  EXPECT_EQ(last.body, batch.logs[4].body);
  EXPECT_EQ(last.trace_id, "aa");
  EXPECT_EQ(last.span_id, "bb");
  EXPECT_EQ(last.attributes, batch.logs[4].attributes);
  EXPECT_EQ(last.tags, batch.logs[4].tags);
  EXPECT_EQ(cell("SELECT count() FROM logs WHERE hasAllTokens(body, ['line', '4'])"), "1");
}

TEST_F(StoreTest, reads_back_results_and_hides_those_with_a_failed_preflight) {
  open();
  model::BenchmarkResult result{.run_id = "r1",
                                .timestamp_ns = t0_ns,
                                .benchmark = "storage",
                                .metric = "read_iops",
                                .value = 93'011.5,
                                .unit = "1/s",
                                .device = "/data",
                                .tags = on_node("n"),
                                .params = {{"block", "4096"}},
                                .provenance = {"abc", {{"kernel", "6.1"}}},
                                .preflight = {true, {"it's warm"}},
                                .samples = {1.5, 2e300, -3}};
  Batch batch;
  batch.results = {result, result};
  batch.results[1].preflight.passed = false;
  write(batch);
  const auto trusted = store_->read_results({.node_id = "n", .range = {0, INT64_MAX}});
  ASSERT_TRUE(trusted) << trusted.error().message;
  ASSERT_EQ(trusted->size(), 1U);
  EXPECT_EQ(model::to_json(trusted->front()).dump(), model::to_json(result).dump());
  EXPECT_EQ(store_->read_results({.range = {0, INT64_MAX}, .trusted_only = false})->size(), 2U);
  EXPECT_TRUE(store_->read_results({.benchmark = "x", .range = {0, INT64_MAX}})->empty());
}

TEST_F(StoreTest, events_of_an_incident_keep_their_order) {
  open();
  Batch batch;
  for (const std::string kind : {"opened", "hypothesis", "verdict"}) {
    batch.events.push_back({"i1", t0_ns, kind, "planner", Json(Json::Object{{"text", "a\t'b'"}})});
  }
  write(batch);
  write({.events = {{"i1", t0_ns, "closed", "alice", Json()},
                    {"i2", t0_ns + 1, "opened", "alert", Json()}}});
  const auto events = store_->read_events("i1");
  ASSERT_TRUE(events) << events.error().message;
  std::string kinds;
  for (const auto& event : *events) kinds += event.kind + " ";
  EXPECT_EQ(kinds, "opened hypothesis verdict closed ");
  EXPECT_EQ(events->front().detail["text"].string_or(""), "a\t'b'");
  EXPECT_EQ(*store_->incident_ids(), (std::vector<std::string>{"i2", "i1"}));
}

TEST_F(StoreTest, the_query_of_a_latency_runs_word_for_word) {
  open();
  const int64_t now_ns = system_clock().now_ns();
  Batch batch;
  batch.spans = {
      {.trace_id = "t",
       .service = "nccl",
       .name = "AllReduce",
       .kind = 1,
       .start_ns = now_ns,
       .duration_ns = 3'000'000,
       .status_code = 2,
       .attributes = {{"bytes", "8"}},
       .tags = on_node("n")},
      {.service = "nccl", .start_ns = now_ns, .duration_ns = 1'000'000},
      {.service = "nccl", .start_ns = now_ns - 7'200 * ns_per_s, .duration_ns = 9'000'000},
      {.service = "other", .start_ns = now_ns, .duration_ns = 7'000'000}};
  write(batch);
  EXPECT_EQ(
      cell("SELECT avg(latency_ms) FROM traces WHERE service='nccl' AND timestamp > now() - 3600"),
      "2");
  EXPECT_EQ(cell("SELECT concat(SpanKind, ' ', StatusCode, ' ', toString(Duration), ' ', "
                 "SpanAttributes['bytes'], ' ', "
                 "ResourceAttributes['host.name']) FROM otel_traces WHERE SpanName = 'AllReduce'"),
            "Internal Error 3000000 8 n");
}

TEST_F(StoreTest, otel_views_have_the_columns_of_the_collectors_exporter) {
  open();
  EXPECT_EQ(
      cell("SELECT arrayStringConcat(arraySort(groupArray(name)), ' ') FROM system.columns WHERE "
           "table = 'otel_logs'"),
      "Body EventName LogAttributes ResourceAttributes ResourceSchemaUrl ScopeAttributes ScopeName "
      "ScopeSchemaUrl ScopeVersion ServiceName SeverityNumber SeverityText SpanId Timestamp "
      "TimestampTime TraceFlags TraceId");
  EXPECT_EQ(
      cell("SELECT arrayStringConcat(arraySort(groupArray(name)), ' ') FROM system.columns WHERE "
           "table = 'otel_traces'"),
      "Duration Events.Attributes Events.Name Events.Timestamp Links.Attributes Links.SpanId "
      "Links.TraceId Links.TraceState ParentSpanId ResourceAttributes ScopeName ScopeVersion "
      "ServiceName SpanAttributes SpanId SpanKind SpanName StatusCode StatusMessage Timestamp "
      "TraceId TraceState");
  write({.logs = {{.timestamp_ns = t0_ns, .severity = 18, .source = "nccl", .body = "x"},
                  {.timestamp_ns = t0_ns, .severity = 9, .source = "nccl", .body = "x"},
                  {.timestamp_ns = t0_ns, .severity = 0, .source = "nccl", .body = "x"}}});
  EXPECT_EQ(
      cell("SELECT arrayStringConcat(arraySort(groupArray(SeverityText)), '|') FROM otel_logs"),
      "|ERROR|INFO");
}

TEST_F(StoreTest, a_batch_sent_again_is_stored_once_also_after_a_restart) {
  open();
  write(numbered(0));
  write(numbered(0));
  open();
  write(numbered(0));
  expect_each_once(*store_, 1);
  EXPECT_EQ(store_->writer_stats().batches_duplicate, 1U);
  write(numbered(1));
  expect_each_once(*store_, 2);
  EXPECT_EQ(cell("SELECT count() FROM series"), "3");
}

TEST_F(StoreTest, keeps_300000_rows_of_one_batch) {
  open();
  Batch batch{.id = "large"};
  for (int64_t i = 0; i < 300'000; ++i) {
    batch.samples.push_back(sample("m" + std::to_string(i % 100), t0_ns + i * 1'000'000, 1));
  }
  write(batch);
  EXPECT_EQ(cell("SELECT count() FROM samples"), "300000");
}

TEST_F(StoreTest, takes_old_rows_that_span_many_days) {
  open();
  Batch batch;
  for (int64_t day = 0; day < 400; ++day) {
    batch.samples.push_back(sample("m", t0_ns - day * 86'400 * ns_per_s, 1));
  }
  write(batch);
  EXPECT_EQ(cell("SELECT count() FROM samples"), "400");
}

TEST_F(StoreTest, the_limits_of_time_are_kept_exactly) {
  open();
  const int64_t last_ns = 9'214'646'400 * ns_per_s - 1;
  write(
      {.logs = {{.timestamp_ns = 0, .body = "first"}, {.timestamp_ns = last_ns, .body = "last"}}});
  const auto logs = store_->read_logs({.range = {0, INT64_MAX}});
  ASSERT_EQ(logs->size(), 2U);
  EXPECT_EQ(logs->back().timestamp_ns, last_ns);
  EXPECT_EQ(store_->write_and_wait({.logs = {{.timestamp_ns = last_ns + 1}}}).error().code,
            ErrorCode::invalid_input);
}

TEST_F(StoreTest, a_newer_database_is_refused) {
  open();
  ASSERT_TRUE(store_->engine().execute(
      "INSERT INTO auscult.schema_migrations (version, name) SELECT 999, 'later'"));
  store_.reset();
  const auto store = Store::open(options_for(folder_.path()), system_clock());
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().message.find("schema version 999"), std::string::npos)
      << store.error().message;
}

// What a process leaves that was killed between the engine's note of a token and its rows: the
// journal, the tokens, no rows. (The second batch: some tables complete, the ids not yet noted.)
TEST_F(StoreTest, a_token_without_its_rows_loses_nothing) {
  open();
  write(numbered(0));
  const auto stamp = to_uint(cell("SELECT toUnixTimestamp64Milli(max(stored_at)) + 1 FROM logs"));
  ASSERT_TRUE(stamp);
  SeriesCatalog catalog({}, system_clock());
  Batch lost = numbered(1);
  Batch half = numbered(2);
  ASSERT_TRUE(make_points(lost, catalog));
  ASSERT_TRUE(make_points(half, catalog));
  const Group groups[] = {build_group({&lost}, *stamp), build_group({&half}, *stamp + 1)};
  Engine& engine = store_->engine();
  for (const Group& group : groups) {
    for (const Block& block : group.blocks) {
      if (&group == &groups[1] && block.table != "samples") continue;
      ASSERT_TRUE(engine.insert(block, std::to_string(group.stamp_ms) + "-" + block.table));
    }
  }
  ASSERT_TRUE(engine.execute("DELETE FROM auscult.logs WHERE body = '1'"));
  ASSERT_TRUE(engine.execute("DELETE FROM auscult.samples WHERE value = 1"));
  store_.reset();
  Journal journal(folder_.path() / "data/journal");
  for (const Group& group : groups) ASSERT_TRUE(journal.write(group));

  open();
  expect_each_once(*store_, 3);
  EXPECT_TRUE(list_folder(folder_.path() / "data/journal").empty());
  write(numbered(1));
  write(numbered(2));
  EXPECT_EQ(store_->writer_stats().batches_duplicate, 2U);
}

// Batches that the helper has under way at once: it sends number i when i - at_once is answered.
constexpr int64_t at_once = 64;

// Reports each acknowledged batch on stdout. Run by the test below, in a process of its own.
TEST(StoreHelper, DISABLED_ingests_until_killed) {
  const char* folder = std::getenv("AUSCULT_TEST_FOLDER");
  const char* first = std::getenv("AUSCULT_TEST_FIRST");
  ASSERT_TRUE(folder != nullptr && first != nullptr);
  auto store = Store::open(options_for(folder), system_clock());
  ASSERT_TRUE(store) << store.error().message;
  std::deque<std::future<void>> sent;
  for (int64_t i = *to_int(first);; ++i) {
    auto answered = std::make_shared<std::promise<void>>();  // outlives this loop's turn
    sent.push_back(answered->get_future());
    (*store)->write(numbered(i), [i, answered](const Result<Ok>& result) {
      const std::string line = (result ? "\nack " : "\nnot ") + std::to_string(i) + "\n";
      (void)!::write(STDOUT_FILENO, line.data(), line.size());
      answered->set_value();
    });
    if (sent.size() < at_once) continue;
    sent.front().wait();
    sent.pop_front();
  }
}

// The numbers after "ack " in the file.
std::set<int64_t> acknowledged_in(const fs::path& output) {
  std::set<int64_t> numbers;
  const auto text = read_file(output);
  if (!text) return numbers;
  const std::string_view whole(text->data(), text->rfind('\n') + 1);
  for (const std::string_view line : split(whole, '\n')) {
    if (!line.starts_with("ack ")) continue;
    if (const auto number = to_int(line.substr(4))) numbers.insert(*number);
  }
  return numbers;
}

TEST_F(StoreTest, what_was_acknowledged_survives_sigkill_exactly_once) {
  const fs::path output = folder_.path() / "output";
  std::set<int64_t> acknowledged;
  std::mt19937 random(20251201);
  Sleeper sleeper;
  const auto lowest_open = [&] {
    int64_t i = 0;
    while (acknowledged.contains(i)) ++i;
    return i;
  };
  ::setenv("AUSCULT_TEST_FOLDER", folder_.path().c_str(), 1);
  for (int round = 0; round < 8; ++round) {
    const size_t before = acknowledged.size();
    ::setenv("AUSCULT_TEST_FIRST", std::to_string(lowest_open()).c_str(), 1);
    auto child = Child::start({fs::read_symlink("/proc/self/exe").string(),
                               "--gtest_filter=StoreHelper.DISABLED_ingests_until_killed",
                               "--gtest_also_run_disabled_tests"},
                              {.output = output});
    ASSERT_TRUE(child) << child.error().message;
    // Some rounds are killed while the store opens, most in the middle of writing.
    const size_t enough = before + (round % 4 == 3 ? 0 : 50);
    for (int wait = 0; wait < 600 && acknowledged.size() <= enough; ++wait) {
      sleeper.sleep(std::chrono::milliseconds(50), {});
      acknowledged = acknowledged_in(output);
      ASSERT_FALSE(child->exit_status()) << *read_file(output);
      if (round % 4 == 3 && wait == 2) break;
    }
    sleeper.sleep(std::chrono::milliseconds(random() % 200), {});
    ::kill(child->pid(), SIGKILL);
    child->stop();
    acknowledged = acknowledged_in(output);
    if (round % 4 != 3) {
      ASSERT_GT(acknowledged.size(), before) << *read_file(output);
    }
  }
  open();
  // Every acknowledged batch is there; what was not acknowledged may be.
  for (const int64_t i : acknowledged) {
    const auto logs = store_->read_logs({.range = {t0_ns + i, t0_ns + i + 1}});
    ASSERT_TRUE(logs) << logs.error().message;
    ASSERT_EQ(logs->size(), 1U) << "batch " << i;
    if (i > 300) break;  // the counts below cover the rest
  }
  const int64_t n = *acknowledged.rbegin() + at_once + 1;
  for (int64_t i = lowest_open(); i < n; ++i) write(numbered(i));
  expect_each_once(*store_, n);
}

// A file system of its own, small; unmounted with the test.
class SmallDisk {
 public:
  explicit SmallDisk(const fs::path& path) : path_(path) {
    fs::create_directories(path);
    mounted_ = ::mount("tmpfs", path.c_str(), "tmpfs", 0, "size=48m") == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  bool mounted() const { return mounted_; }

 private:
  fs::path path_;
  bool mounted_ = false;
};

TEST_F(StoreTest, a_full_disk_refuses_reads_on_and_recovers) {
  const fs::path disk = folder_.path() / "disk";
  const SmallDisk small(disk);
  if (!small.mounted()) GTEST_SKIP() << "mounting a small tmpfs needs root";
  const fs::path ballast = disk / "ballast";
  std::ofstream(ballast) << std::string(24U << 20U, 'x');
  open(options_for(disk));

  int64_t next = 0;
  Result<Ok> last = Ok{};
  while (last && next < 400) last = store_->write_and_wait(numbered(next++, 200'000));
  ASSERT_FALSE(last) << "the disk did not fill";
  EXPECT_EQ(last.error().code, ErrorCode::unavailable) << last.error().message;
  const int64_t stored = next - 1;
  ASSERT_GT(stored, 3);
  // Reads go on, and what was acknowledged is there.
  EXPECT_GE(to_int(cell("SELECT count() FROM logs")).value_or(0), stored);
  EXPECT_EQ(store_->write_and_wait(numbered(next, 200'000)).error().code, ErrorCode::unavailable);

  fs::remove(ballast);
  Sleeper sleeper;
  for (int attempt = 0; attempt < 100; ++attempt) {
    last = store_->write_and_wait(numbered(stored, 200'000));
    if (last) break;
    sleeper.sleep(std::chrono::milliseconds(100), {});
  }
  ASSERT_TRUE(last) << last.error().message;
  write(numbered(next));
  expect_each_once(*store_, next + 1);
  open(options_for(disk));
  expect_each_once(*store_, next + 1);
  store_.reset();
}

// Prints the resident memory of a process that has written, read and is idle. Run by the test
// below.
TEST(StoreHelper, DISABLED_works_a_while) {
  const char* folder = std::getenv("AUSCULT_TEST_FOLDER");
  ASSERT_TRUE(folder != nullptr);
  auto opened = Store::open(options_for(folder), system_clock());
  ASSERT_TRUE(opened) << opened.error().message;
  Store& store = **opened;
  for (int64_t i = 0; i < 30; ++i) {
    Batch batch = numbered(i);
    for (int64_t k = 0; k < 10'000; ++k) {
      batch.samples.push_back(
          sample("m" + std::to_string(k % 1'000), t0_ns + (i * 10 + k / 1'000) * ns_per_s, 1));
    }
    ASSERT_TRUE(store.write_and_wait(std::move(batch)));
    ASSERT_TRUE(store.read_series({.metric = "m7", .range = {0, INT64_MAX}}));
    ASSERT_TRUE(store.engine().query_user("SELECT uniq(id), avg(value) FROM samples", {}));
  }
  const auto status = read_file("/proc/self/status");
  const auto at = status->find("VmRSS:");
  std::cerr << "rss " << words(std::string_view(*status).substr(at))[1] << " KiB\n";
}

TEST_F(StoreTest, stays_small_after_some_work) {
  ::setenv("AUSCULT_TEST_FOLDER", folder_.path().c_str(), 1);
  const auto run = run_process({fs::read_symlink("/proc/self/exe").string(),
                                "--gtest_filter=StoreHelper.DISABLED_works_a_while",
                                "--gtest_also_run_disabled_tests"});
  ASSERT_TRUE(run) << run.error().message;
  const auto at = run->err.find("rss ");
  ASSERT_NE(at, std::string::npos) << run->out << run->err;
  const auto kib = to_int(words(std::string_view(run->err).substr(at))[1]);
  ASSERT_TRUE(kib);
  RecordProperty("rss_kib", std::to_string(*kib));
  // Below what the whole server may have, with room for the rest of it.
  EXPECT_LT(*kib, 340 * 1024);
}

}  // namespace
}  // namespace auscult::store
