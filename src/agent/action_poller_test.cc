#include "agent/action_poller.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/json.h"

namespace auscult::agent {
namespace {

// The server's side: answers polls with what is queued and keeps the reports.
class ActionPollerTest : public testing::Test {
 protected:
  ActionPollerTest() : key_(actions::SigningKey::generate()) {
    std::string pattern = testing::TempDir() + "/actions-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    options_ = {.server_public_key = key_.public_key_base64(),
                .actions_file = folder_ / "actions.yaml",
                .tags = {.node_id = "n 1"}};
    start();
  }
  ~ActionPollerTest() override {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
  }
  void allow(const std::string& classes) const {
    std::ofstream(folder_ / "actions.yaml") << "enabled: true\nallow: [" << classes
                                            << "]\nscratch: " << (folder_ / "s").string() << "\n";
    std::filesystem::permissions(folder_ / "actions.yaml", std::filesystem::perms(0600));
  }
  Json request(const std::string& id, const std::string& action = "process_snapshot") const {
    return key_.sign({.id = id,
                      .action_class = "snapshot",
                      .action = action,
                      .target = "n 1",
                      .params = Json(Json::Object{}),
                      .limits = {.seconds = 10, .bytes = 1 << 20},
                      .issued_at_ns = clock_.now_ns(),
                      .expires_at_ns = clock_.now_ns() + 60 * ns_per_s});
  }
  // The agent starts, or starts again.
  void start() {
    poller_.emplace(
        options_,
        [this](const std::string& method, const std::string& target, std::string body,
               std::chrono::milliseconds) -> Result<net::Response> {
          if (method == "GET") {
            polled_ = target;
            return poll_answer_;
          }
          ++posts_;
          if (failing_posts_-- > 0) return net::Response{.status = 503};
          reports_.emplace_back(target, *Json::parse(body));
          return net::Response{.status = 200};
        },
        clock_);
  }
  void step(const std::vector<Json>& requests) {
    Json answer;
    answer.set("actions", Json(Json::Array(requests.begin(), requests.end())));
    poll_answer_ = net::Response{.status = 200, .body = answer.dump()};
    poller_->step(stop_.get_token());
  }

  actions::SigningKey key_;
  std::filesystem::path folder_;
  ActionPollerOptions options_;
  const Clock& clock_ = system_clock();
  std::stop_source stop_;
  std::optional<ActionPoller> poller_;
  Result<net::Response> poll_answer_ = net::Response{};
  std::string polled_;
  int posts_ = 0;
  int failing_posts_ = 0;
  std::vector<std::pair<std::string, Json>> reports_;
};

TEST_F(ActionPollerTest, runs_what_the_node_allows_and_reports_it) {
  allow("snapshot");
  step({request("a1")});

  EXPECT_EQ(polled_, "/api/auscult/v1/agent/actions?node=n%201");
  ASSERT_EQ(reports_.size(), 1U);
  EXPECT_EQ(reports_[0].first, "/api/auscult/v1/agent/actions/a1/result");
  EXPECT_EQ(reports_[0].second["status"].string_or(""), "done") << reports_[0].second.dump();
}

TEST_F(ActionPollerTest, a_refused_action_is_reported_with_its_reason) {
  allow("benchmark");
  step({request("a1")});

  ASSERT_EQ(reports_.size(), 1U);
  EXPECT_EQ(reports_[0].second["status"].string_or(""), "refused");
  EXPECT_NE(reports_[0].second["message"].string_or(""), "");
}

TEST_F(ActionPollerTest, without_the_nodes_file_nothing_is_allowed) {
  step({request("a1")});
  ASSERT_EQ(reports_.size(), 1U);
  EXPECT_EQ(reports_[0].second["status"].string_or(""), "refused");
}

TEST_F(ActionPollerTest, the_nodes_file_is_read_anew_for_every_action) {
  allow("snapshot");
  step({request("a1")});
  std::filesystem::remove(folder_ / "actions.yaml");
  step({request("a2")});

  ASSERT_EQ(reports_.size(), 2U);
  EXPECT_EQ(reports_[0].second["status"].string_or(""), "done") << reports_[0].second.dump();
  EXPECT_EQ(reports_[1].second["status"].string_or(""), "refused");
}

TEST_F(ActionPollerTest, the_switch_on_the_node_ends_a_running_benchmark_before_its_next_repeat) {
  allow("benchmark");
  // The action makes its scratch folder when it begins.
  std::jthread owner([this](const std::stop_token& stop) {
    while (!std::filesystem::exists(folder_ / "s") && !stop.stop_requested()) {
      std::this_thread::yield();
    }
    ASSERT_TRUE(write_file(folder_ / "actions.yaml", "enabled: false\n", false, 0600));
  });
  const int64_t now_ns = clock_.now_ns();
  const Json params = *Json::parse(
      R"({"benchmark":"cpu_compute","repeats":10,"params":{"seconds":0.3,"threads":1}})");
  step({key_.sign({.id = "a1",
                   .action_class = "benchmark",
                   .action = "targeted_benchmark",
                   .target = "n 1",
                   .params = params,
                   .limits = {.seconds = 60, .bytes = 1 << 20},
                   .issued_at_ns = now_ns,
                   .expires_at_ns = now_ns + 60 * ns_per_s})});

  ASSERT_EQ(reports_.size(), 1U);
  const Json& result = reports_[0].second["result"];
  EXPECT_LT(result["repeats_done"].int_or(10), 10) << reports_[0].second.dump();
  EXPECT_NE(result["notes"].dump().find("switched off"), std::string::npos);
}

TEST_F(ActionPollerTest, a_request_signed_by_another_is_refused) {
  allow("snapshot");
  key_ = actions::SigningKey::generate();
  step({request("a1")});

  ASSERT_EQ(reports_.size(), 1U);
  EXPECT_EQ(reports_[0].second["status"].string_or(""), "refused");
}

TEST_F(ActionPollerTest, a_request_that_ran_before_a_restart_does_not_run_again) {
  allow("snapshot");
  Json captured = request("a1");
  step({captured});
  start();  // a snapshot took seconds meanwhile
  step({captured});

  ASSERT_EQ(reports_.size(), 2U);
  EXPECT_EQ(reports_[0].second["status"].string_or(""), "done") << reports_[0].second.dump();
  EXPECT_EQ(reports_[1].second["status"].string_or(""), "refused");
}

TEST_F(ActionPollerTest, a_report_is_tried_again) {
  failing_posts_ = 1;
  step({request("a1")});

  EXPECT_EQ(posts_, 2);
  EXPECT_EQ(reports_.size(), 1U);
}

TEST_F(ActionPollerTest, nonsense_from_the_server_is_survived) {
  step({Json("text"), Json(Json::Object{}), Json()});
  EXPECT_TRUE(reports_.empty()) << "no id, no address";
  stop_.request_stop();
  poll_answer_ = net::Response{.status = 200, .body = "not json"};
  poller_->step(stop_.get_token());
}

}  // namespace
}  // namespace auscult::agent
