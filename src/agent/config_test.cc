#include "agent/config.h"

#include <gtest/gtest.h>

namespace auscult::agent {
namespace {

Result<AgentConfig> read(const std::string& text) {
  const auto yaml = parse_yaml(text, "agent.yaml");
  EXPECT_TRUE(yaml) << yaml.error().message;
  return read_config(*yaml, {});
}

std::string error_of(const std::string& text) {
  const auto config = read(text);
  return config ? "" : config.error().message;
}

TEST(AgentConfig, every_key_is_read) {
  const auto config = read(
      "server: http://collector:4318\n"
      "control: http://collector:9494\n"
      "node_id: n1\n"
      "cluster: c1\n"
      "tags: {job_id: j7, model_name: bert}\n"
      "interval: 1s\n"
      "spool: /tmp/spool\n"
      "spool_max_bytes: 2000000\n"
      "compression: gzip\n"
      "logs:\n"
      "  - {path: /var/log/a.log, source: trainer}\n"
      "  - {path: /var/log/b.log, source: nccl}\n"
      "kernel_log: off\n"
      "processes: [python3, etcd]\n"
      "actions_file: /tmp/actions.yaml\n"
      "server_public_key: abc=\n");

  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->server, "http://collector:4318");
  EXPECT_EQ(config->control, "http://collector:9494");
  EXPECT_EQ(config->tags,
            (model::Tags{.cluster = "c1", .node_id = "n1", .job_id = "j7", .model_name = "bert"}));
  EXPECT_EQ(config->interval, std::chrono::seconds(1));
  EXPECT_EQ(config->spool, "/tmp/spool");
  EXPECT_EQ(config->spool_max_bytes, 2'000'000);
  EXPECT_TRUE(config->gzip);
  EXPECT_EQ(config->logs,
            (std::vector<LogFile>{{"/var/log/a.log", "trainer"}, {"/var/log/b.log", "nccl"}}));
  EXPECT_EQ(config->kernel_log, "off");
  EXPECT_EQ(config->processes, (std::vector<std::string>{"python3", "etcd"}));
  EXPECT_EQ(config->actions_file, "/tmp/actions.yaml");
  EXPECT_EQ(config->server_public_key, "abc=");
  EXPECT_TRUE(check_config(*config));
}

TEST(AgentConfig, an_empty_file_is_the_defaults) {
  const auto config = read("");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->server, "http://127.0.0.1:4318");
  EXPECT_EQ(config->interval, std::chrono::seconds(15));
}

TEST(AgentConfig, a_typing_error_is_named_with_its_line_and_what_was_meant) {
  const auto message = error_of("server: http://a:1\nintervall: 5s\n");
  EXPECT_NE(message.find("agent.yaml:2"), std::string::npos) << message;
  EXPECT_NE(message.find("did you mean 'interval'"), std::string::npos) << message;
}

TEST(AgentConfig, typing_errors_below_the_top_are_named_too) {
  EXPECT_NE(error_of("tags: {job: x}\n").find("agent.yaml:1"), std::string::npos);
  const auto message = error_of("logs:\n  - {path: /a, sourec: b}\n");
  EXPECT_NE(message.find("agent.yaml:2"), std::string::npos) << message;
  EXPECT_NE(error_of("logs: /a\n").find("list"), std::string::npos);
  EXPECT_NE(error_of("logs: [/a]\n").find("expected"), std::string::npos);
}

TEST(AgentConfig, a_wrong_value_is_named_with_its_line) {
  EXPECT_NE(error_of("node_id: n\ninterval: soon\n").find("agent.yaml:2"), std::string::npos);
  EXPECT_NE(error_of("compression: zip\n").find("gzip or none"), std::string::npos);
  EXPECT_NE(error_of("spool_max_bytes: lots\n").find("agent.yaml:1"), std::string::npos);
}

TEST(AgentConfig, values_out_of_their_range_are_refused) {
  AgentConfig good;
  good.tags.node_id = "n";
  ASSERT_TRUE(check_config(good)) << check_config(good).error().message;
  const auto refused = [&](auto change) {
    AgentConfig config = good;
    change(config);
    return !check_config(config);
  };
  EXPECT_TRUE(refused([](auto& c) { c.interval = std::chrono::milliseconds(1); }));
  EXPECT_TRUE(refused([](auto& c) { c.spool_max_bytes = 10; }));
  EXPECT_TRUE(refused([](auto& c) { c.tags.node_id = ""; }));
  EXPECT_TRUE(refused([](auto& c) { c.server = "collector:4318"; }));
  EXPECT_TRUE(refused([](auto& c) { c.kernel_log = "yes"; }));
  EXPECT_TRUE(refused([](auto& c) { c.spool = ""; }));
}

}  // namespace
}  // namespace auscult::agent
