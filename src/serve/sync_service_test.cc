#include "serve/sync_service.h"

#include <gtest/gtest.h>

#include "serve/testing_prometheus.h"
#include "store/memory_store.h"

namespace auscult::serve {
namespace {

Result<std::vector<SyncOptions>> parse(const std::string& text) {
  const auto root = parse_yaml(text, "serve.yaml");
  if (!root) return root.error();
  return parse_sync(*root);
}

TEST(SyncConfig, names_servers_times_and_series) {
  const auto sources = parse(
      "- prometheus: http://p:9090/x\n  every: 1m\n  since: 2w\n  match: [up, 'a{b=\"c\"}']\n"
      "- prometheus: http://q:9090\n");
  ASSERT_TRUE(sources) << sources.error().message;
  ASSERT_EQ(sources->size(), 2U);
  EXPECT_EQ((*sources)[0].every, std::chrono::minutes(1));
  EXPECT_EQ((*sources)[0].since, std::chrono::hours(14 * 24));
  EXPECT_EQ((*sources)[0].source(), "http://p:9090/x up a{b=\"c\"}");
  EXPECT_EQ((*sources)[1].every, std::chrono::minutes(5));
}

TEST(SyncConfig, that_is_wrong_is_refused_with_its_line) {
  const std::pair<const char*, const char*> cases[] = {
      {"- prometeus: http://p\n", "unknown key 'prometeus': did you mean 'prometheus'?"},
      {"- prometheus: ftp://p\n", "serve.yaml:1: URL 'ftp://p': it must begin with http"},
      {"- prometheus: http://p\n  every: 5\n", "serve.yaml:2: '5' is no duration"},
      {"- prometheus: http://p\n  since: 0s\n", "serve.yaml:2: since must be above 0"},
      {"- prometheus: http://p\n  match: ['{']\n", "serve.yaml:2: '{' is no selector of series"},
      {"- prometheus: http://p\n- prometheus: http://p\n", "serve.yaml:2: the same source"},
      {"prometheus: http://p\n", "serve.yaml:1: expected a list of sources"},
  };
  for (const auto& [text, message] : cases) {
    const auto sources = parse(text);
    ASSERT_FALSE(sources) << text;
    EXPECT_NE(sources.error().message.find(message), std::string::npos) << sources.error().message;
  }
}

class SyncServiceTest : public testing::Test {
 protected:
  std::unique_ptr<SyncService> start() {
    auto service = SyncService::start(
        {{.url = "http://p:9090", .since = std::chrono::hours(10)}}, store, clock,
        [this](const std::string&) -> Result<std::unique_ptr<PrometheusSource>> {
          return std::unique_ptr<PrometheusSource>(std::make_unique<FakePrometheus>(server));
        });
    EXPECT_TRUE(service);
    return *std::move(service);
  }

  // Until the state is as asked for.
  static SyncState wait_for(const SyncService& service,
                            const std::function<bool(const SyncState&)>& condition) {
    Sleeper sleeper;
    const auto deadline = system_clock().monotonic() + std::chrono::seconds(30);
    while (true) {
      const SyncState state = service.states().front();
      if (condition(state)) return state;
      if (system_clock().monotonic() > deadline) {
        ADD_FAILURE() << "lag " << state.lag_seconds << ", failures " << state.failures;
        return state;
      }
      sleeper.sleep(std::chrono::milliseconds(2), {});
    }
  }

  static constexpr int64_t now_ms = 1'700'000'000'000;
  FakePrometheus::Server server;
  store::MemoryStore store;
  ManualClock clock{now_ms * 1'000'000};
};

TEST_F(SyncServiceTest, keeps_the_store_up_and_says_how_far_it_is) {
  server.samples["a"] = {{now_ms - 300'000, 1}, {now_ms - 60'000, 2}};
  const auto service = start();
  const auto state =
      wait_for(*service, [](const auto& s) { return s.lag_seconds > 0 && s.lag_seconds < 121; });
  EXPECT_EQ(state.lag_seconds, 120);
  EXPECT_EQ(state.samples, 1U);

  clock.advance(std::chrono::minutes(5));
  EXPECT_EQ(wait_for(*service, [](const auto& s) { return s.samples == 2; }).samples, 2U);
}

TEST_F(SyncServiceTest, a_server_that_is_away_is_asked_again_later) {
  server.samples["a"] = {{now_ms - 300'000, 1}};
  server.failures = {Error{ErrorCode::unavailable, "away"}};
  const auto service = start();
  EXPECT_EQ(wait_for(*service, [](const auto& s) { return s.failures == 1; }).samples, 0U);

  clock.advance(std::chrono::seconds(31));
  EXPECT_EQ(wait_for(*service, [](const auto& s) { return s.samples == 1; }).failures, 1U);
}

TEST_F(SyncServiceTest, a_lag_of_half_of_what_the_server_keeps_is_logged) {
  server.samples["a"] = {{now_ms - 9 * 3'600'000, 1}};
  server.retention = std::chrono::hours(12);
  testing::internal::CaptureStderr();
  {
    const auto service = start();
    wait_for(*service, [](const auto& s) { return s.lag_seconds > 0 && s.lag_seconds < 121; });
  }
  const std::string logged = testing::internal::GetCapturedStderr();
  EXPECT_NE(logged.find("lags by 8 h, more than half of what the server keeps"), std::string::npos)
      << logged;
}

}  // namespace
}  // namespace auscult::serve
