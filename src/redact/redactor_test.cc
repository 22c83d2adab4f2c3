#include "redact/redactor.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

namespace auscult::redact {
namespace {

std::unique_ptr<Redactor> builtin() {
  auto redactor = Redactor::create(patterns());
  EXPECT_TRUE(redactor) << redactor.error().message;
  return *std::move(redactor);
}

uint64_t count_of(const Redactor& redactor, std::string_view kind) {
  for (const auto& count : redactor.counts()) {
    if (count.kind == kind) return count.redacted;
  }
  return 0;
}

// Lines as training and system logs have them, that a careless pattern would spoil.
constexpr std::string_view clean_lines[] = {
    "step 1200 | loss 2.31 | tokens/s 123456 | token_id=50256 bos_token=<s> pad_token_id: 0",
    "NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [RO]; OOB eth0:10.0.0.5<0>",
    "NCCL WARN Call to ibv_modify_qp failed with error Connection timed out localGid "
    "::ffff:10.0.0.5",
    "sshd[712]: Failed password for invalid user admin from 10.1.2.3 port 52222 ssh2",
    "kernel: mlx5_core 0000:3b:00.0: Port module event: module 0, Cable unplugged",
    "GET http://10.0.0.5:9494/api/v1/query?query=up HTTP/1.1 200",
    "checkpoint s3://bucket/run/step-1200@v2 saved sha256:0123456789abcdef0123456789abcdef01234567",
    "Secret \"registry\" not found in namespace default",
    "tokenizer: special tokens = {'eos_token': '</s>', 'unk_token': '<unk>'}",
    "git commit 0123456789abcdef0123456789abcdef01234567 by ada@example.org",
};

TEST(Redactor, lines_of_everyday_stay_as_they_are) {
  const auto redactor = builtin();
  for (const auto line : clean_lines) {
    std::string text(line);
    EXPECT_FALSE(redactor->redact(text)) << text;
    EXPECT_EQ(text, line);
  }
}

TEST(Redactor, every_secret_of_a_line_goes_and_is_counted_by_kind) {
  const auto redactor = builtin();
  std::string text = "a password=one1 b password=two2 c AKIAIOSFODNN7EXAMPLE";

  EXPECT_TRUE(redactor->redact(text));

  EXPECT_EQ(text,
            "a password=[redacted:password] b password=[redacted:password] c [redacted:aws_key]");
  EXPECT_EQ(count_of(*redactor, "password"), 2U);
  EXPECT_EQ(count_of(*redactor, "aws_key"), 1U);
  EXPECT_EQ(count_of(*redactor, "jwt"), 0U);
}

TEST(Redactor, a_private_key_without_its_end_goes_to_the_end_of_the_text) {
  const auto redactor = builtin();
  std::string text = "x\n-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKC\nand so on";
  EXPECT_TRUE(redactor->redact(text));
  EXPECT_EQ(text, "x\n[redacted:private_key]");
}

TEST(Redactor, more_replacements_than_the_limit_take_the_rest_of_the_text_along) {
  const auto redactor = builtin();
  std::string text;
  for (int i = 0; i < 100; ++i) text += "password=hunter2 ";
  EXPECT_TRUE(redactor->redact(text));
  EXPECT_EQ(text.find("hunter2"), std::string::npos);
  EXPECT_EQ(count_of(*redactor, "password"), 64U);
}

TEST(Redactor, looks_at_bodies_and_at_attributes_by_name_and_value) {
  const auto redactor = builtin();
  model::LogRecords records = {
      {.body = "token=0a1b2c3d4e5f",
       .attributes = {{"db.password", "x"},
                      {"http.request.header.authorization", "Bearer 0123456789ab"},
                      {"n", "7"}}}};
  redactor->redact(records);

  EXPECT_EQ(records[0].body, "token=[redacted:token]");
  EXPECT_EQ(records[0].attributes,
            (model::Labels{{"db.password", "[redacted:password]"},
                           {"http.request.header.authorization", "Bearer [redacted:bearer_token]"},
                           {"n", "7"}}));
}

// Equal attributes of neighbours are looked at once, which must not let the second one through.
TEST(Redactor, a_secret_that_every_record_repeats_goes_from_every_record) {
  const auto redactor = builtin();
  const model::Labels attributes = {{"a", "1"}, {"db.password", "x"}, {"z", "2"}};
  model::LogRecords records(3, {.body = "b", .attributes = attributes});
  redactor->redact(records);

  for (const auto& record : records) {
    EXPECT_EQ(record.attributes[1].second, "[redacted:password]");
    EXPECT_EQ(record.attributes[2].second, "2");
  }
  EXPECT_EQ(count_of(*redactor, "password"), 3U);
}

TEST(Redactor, looks_at_names_messages_and_attributes_of_spans) {
  const auto redactor = builtin();
  model::Spans spans = {{.name = "GET /?api_key=0123456789",
                         .status_message = "redis://:hunter2@cache:6379 refused",
                         .attributes = {{"url.full", "https://ada:hunter2@a.example/"}}}};
  redactor->redact(spans);

  EXPECT_EQ(spans[0].name, "GET /?api_key=[redacted:secret]");
  EXPECT_EQ(spans[0].status_message, "redis://:[redacted:url_password]@cache:6379 refused");
  EXPECT_EQ(spans[0].attributes[0].second, "https://ada:[redacted:url_password]@a.example/");
}

TEST(RedactingIndex, a_new_series_is_stored_without_the_secret_and_found_again_by_its_bytes) {
  const auto redactor = builtin();
  model::PlainSeriesIndex stored;
  RedactingIndex index(stored, *redactor);
  const model::SeriesKey key{1, 2};
  const auto added = index.add(
      key, {.metric = "up", .labels = {{"instance", "db:1"}, {"url", "http://a:hunter2@db"}}});
  ASSERT_TRUE(added);

  EXPECT_EQ((*added)->labels[1].second, "http://a:[redacted:url_password]@db");
  EXPECT_EQ(index.find(key), *added);
  EXPECT_EQ(count_of(*redactor, "url_password"), 1U) << "a known series is not looked at again";
}

TEST(Redactor, a_pattern_that_is_none_is_told_by_its_kind) {
  const std::array<Pattern, 1> broken = {{{.kind = "broken", .find = "a("}}};
  const std::array<Pattern, 1> backwards = {{{.kind = "backwards", .find = "(a)(b)"}}};
  for (const auto& one : {broken, backwards}) {
    const auto redactor = Redactor::create(one);
    ASSERT_FALSE(redactor);
    EXPECT_NE(redactor.error().message.find(one[0].kind), std::string::npos);
  }
}

// What the thread sanitizer watches.
TEST(Redactor, several_threads_use_one) {
  const auto redactor = builtin();
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 100; ++n) {
          std::string text = "password=hunter2";
          redactor->redact(text);
        }
      });
    }
  }
  EXPECT_EQ(count_of(*redactor, "password"), 400U);
}

}  // namespace
}  // namespace auscult::redact
