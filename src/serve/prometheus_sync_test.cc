#include "serve/prometheus_sync.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "serve/testing_prometheus.h"
#include "store/memory_store.h"

namespace auscult::serve {
namespace {

constexpr int64_t minute_ms = 60'000;
constexpr int64_t hour_ms = 60 * minute_ms;
constexpr int64_t start_ms = 472'222 * hour_ms;  // a full hour

// As the real one: a batch whose id was stored is not stored again.
class StoreThatKnowsIds : public store::MemoryStore {
 public:
  void write(store::Batch batch, std::function<void(Result<Ok>)> done) override {
    batches.push_back({batch.id, batch.points.size()});
    if (lose_answers > 0) {
      --lose_answers;
      if (ids_.insert(batch.id).second) MemoryStore::write(std::move(batch), [](Result<Ok>) {});
      return done(Error{ErrorCode::unavailable, "no answer"});
    }
    if (!ids_.insert(batch.id).second) return done(Ok{});
    MemoryStore::write(std::move(batch), std::move(done));
  }
  struct Written {
    std::string id;
    size_t n_points;
  };
  std::vector<Written> batches;
  int lose_answers = 0;  // writes that are stored, though the client is told otherwise

 private:
  std::set<std::string> ids_;
};

class PrometheusSyncTest : public testing::Test {
 protected:
  // A sample each `step_ms` in [begin, end).
  void fill(const std::string& metric, int64_t begin_ms, int64_t end_ms, int64_t step_ms) {
    for (int64_t t = begin_ms; t < end_ms; t += step_ms) {
      server.samples[metric].emplace_back(t, static_cast<double>(t % 997));
    }
  }

  std::unique_ptr<PrometheusSync> sync(SyncOptions options = {.url = "http://p:9090",
                                                              .since = std::chrono::hours(6)}) {
    auto made = PrometheusSync::create(std::move(options), limits,
                                       std::make_unique<FakePrometheus>(server), store, clock);
    EXPECT_TRUE(made) << made.error().message;
    return *std::move(made);
  }

  // Steps until caught up; the number of steps that stored something.
  int catch_up(PrometheusSync& sync) {
    for (int n = 0; n < 10'000; ++n) {
      const auto step = sync.step({});
      EXPECT_TRUE(step) << step.error().message;
      if (!step || step->caught_up) return n;
    }
    ADD_FAILURE() << "never caught up";
    return -1;
  }

  // All samples of the server before `until_ms` are stored, each once.
  void expect_equal(int64_t until_ms) {
    for (const auto& [metric, samples] : server.samples) {
      const auto found = store.read_series(
          {.metric = metric, .node_id = {}, .labels = {}, .range = {0, INT64_MAX}});
      ASSERT_TRUE(found);
      std::vector<std::pair<int64_t, double>> stored;
      for (const auto& series : *found) {
        for (const auto& [t, value] : series.points) stored.emplace_back(t / 1'000'000, value);
      }
      std::vector<std::pair<int64_t, double>> expected;
      std::copy_if(samples.begin(), samples.end(), std::back_inserter(expected),
                   [&](const auto& sample) { return sample.first < until_ms; });
      EXPECT_EQ(stored, expected) << metric;
      n_expected += expected.size();
    }
    // The memory store shows one sample a time, however many were written.
    size_t n_written = 0;
    std::set<std::string> ids;
    for (const auto& [id, n_points] : store.batches) {
      if (ids.insert(id).second) n_written += n_points;
    }
    EXPECT_EQ(n_written, n_expected);
  }

  FakePrometheus::Server server;
  StoreThatKnowsIds store;
  ManualClock clock{(start_ms + 5 * hour_ms + 30 * minute_ms) * 1'000'000};
  const int64_t limit_ms = start_ms + 5 * hour_ms + 28 * minute_ms;
  SyncLimits limits;
  size_t n_expected = 0;
};

TEST_F(PrometheusSyncTest, fetches_all_up_to_the_safety_lag) {
  fill("a", start_ms, start_ms + 7 * hour_ms, 15'000);
  fill("b", start_ms + hour_ms, start_ms + 2 * hour_ms, 1'000);
  const auto all = sync();
  catch_up(*all);
  expect_equal(limit_ms);
}

TEST_F(PrometheusSyncTest, goes_on_where_the_last_run_ended) {
  fill("a", start_ms, start_ms + 7 * hour_ms, 15'000);
  catch_up(*sync());
  const size_t n_before = store.batches.size();
  catch_up(*sync());
  EXPECT_EQ(store.batches.size(), n_before);

  clock.advance(std::chrono::minutes(5));
  EXPECT_EQ(catch_up(*sync()), 1);
  expect_equal(limit_ms + 5 * minute_ms);
}

TEST_F(PrometheusSyncTest, a_clock_that_goes_on_meanwhile_does_not_keep_a_run_from_its_end) {
  fill("a", start_ms, start_ms + 7 * hour_ms, 15'000);
  const auto one = sync();
  int n = 0;
  for (bool caught_up = false; !caught_up && n < 100; ++n) {
    const auto step = one->step({});
    ASSERT_TRUE(step);
    caught_up = step->caught_up;
    clock.advance(std::chrono::seconds(30));
  }
  EXPECT_EQ(n, 7);  // six hours begun, and the end
  expect_equal(limit_ms);
}

TEST_F(PrometheusSyncTest, hours_without_samples_are_skipped_without_a_write_for_each) {
  fill("a", start_ms, start_ms + minute_ms, 15'000);
  const auto one = sync();
  EXPECT_EQ(catch_up(*one), 1);
  EXPECT_EQ(store.batches.size(), 2U);  // the samples, and how far it looked
}

TEST_F(PrometheusSyncTest, a_part_holds_no_more_than_its_limit) {
  limits.max_points = 100;
  limits.first_metrics = 4;
  fill("a", start_ms, start_ms + 2 * hour_ms, 10'000);  // 360 an hour: in pieces of time
  fill("b", start_ms, start_ms + 2 * hour_ms, minute_ms);
  fill("c", start_ms, start_ms + 2 * hour_ms, minute_ms);
  for (char c = 'd'; c < 'n'; ++c) {
    fill(std::string(1, c), start_ms, start_ms + 2 * hour_ms, 10 * minute_ms);
  }
  const auto all = sync();
  catch_up(*all);
  expect_equal(limit_ms);
  size_t largest = 0;
  for (const auto& [id, n_points] : store.batches) largest = std::max(largest, n_points);
  EXPECT_LE(largest, 100U);
  EXPECT_GT(largest, 50U);
}

TEST_F(PrometheusSyncTest, ended_after_any_step_it_misses_nothing_and_repeats_nothing) {
  limits.max_points = 100;
  limits.first_metrics = 4;
  fill("a", start_ms, start_ms + 2 * hour_ms, 10'000);
  fill("b", start_ms, start_ms + 2 * hour_ms, minute_ms);
  fill("c", start_ms + hour_ms, start_ms + 2 * hour_ms, 20'000);
  for (int n = 0; n < 1'000; ++n) {
    const auto step = sync()->step({});  // a new one for each step
    ASSERT_TRUE(step) << step.error().message;
    if (step->caught_up) break;
    ASSERT_LT(n, 999);
  }
  expect_equal(limit_ms);
}

TEST_F(PrometheusSyncTest, a_part_that_the_store_has_but_did_not_confirm_is_not_stored_twice) {
  fill("a", start_ms, start_ms + 2 * hour_ms, 15'000);
  const auto one = sync();
  store.lose_answers = 1;
  catch_up(*one);
  expect_equal(limit_ms);
}

TEST_F(PrometheusSyncTest, a_server_that_fails_in_the_middle_is_asked_again) {
  fill("a", start_ms, start_ms + 3 * hour_ms, 15'000);
  const auto one = sync();
  ASSERT_TRUE(one->step({}));
  server.failures = {Error{ErrorCode::unavailable, "restarting"}};
  EXPECT_FALSE(one->step({}));
  catch_up(*one);
  expect_equal(limit_ms);
}

TEST_F(PrometheusSyncTest, selectors_that_overlap_store_a_sample_once) {
  fill("a", start_ms, start_ms + hour_ms, 15'000);
  catch_up(*sync({.url = "http://p:9090",
                  .selectors = {"a", R"({__name__=~"a|b"})"},
                  .since = std::chrono::hours(6)}));
  EXPECT_EQ(server.n_queries, 2U);
  expect_equal(limit_ms);
}

TEST_F(PrometheusSyncTest, sources_with_other_selectors_have_positions_of_their_own) {
  fill("a", start_ms, start_ms + hour_ms, 15'000);
  catch_up(*sync({.url = "http://p:9090", .selectors = {"a"}}));
  const auto position = [&](const std::string& source) {
    const auto read = store.read_sync_position(source);
    return read && !read->is_null();
  };
  EXPECT_TRUE(position("http://p:9090 a"));
  EXPECT_FALSE(position("http://p:9090"));
}

TEST_F(PrometheusSyncTest, more_samples_at_one_time_than_a_part_may_have_is_an_error) {
  limits.max_points = 1;
  server.samples["a"] = {{start_ms, 1}, {start_ms, 2}};
  const auto one = sync();
  const auto step = one->step({});
  ASSERT_FALSE(step);
  EXPECT_EQ(step.error().message,
            "a has more than 1 samples at one time: leave it out by a selector");
}

TEST_F(PrometheusSyncTest, a_bad_selector_is_refused_before_anything_is_asked) {
  EXPECT_FALSE(PrometheusSync::create({.url = "http://p:9090", .selectors = {"{"}}, {},
                                      std::make_unique<FakePrometheus>(server), store, clock));
}

}  // namespace
}  // namespace auscult::serve
