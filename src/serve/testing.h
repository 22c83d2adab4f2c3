// The API without a network, on a store in memory: what the tests of this module share.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "diagnose/testing.h"
#include "serve/context.h"
#include "serve/route.h"
#include "store/memory_store.h"

namespace auscult::serve {

// Answers every query with one cell, or fails with `failure`.
class OneCellEngine : public store::Engine {
 public:
  std::optional<Error> failure;
  std::string asked;
  store::Parameters parameters;

  Result<store::Table> query(const store::Query&) override { return answer(); }
  Result<std::string> query_binary(const store::Query&) override { return std::string(); }
  Result<store::Table> query_user(const std::string& sql, const store::Parameters& given) override {
    asked = sql;
    parameters = given;
    return answer();
  }
  Result<store::UserAnswer> query_user_raw(const store::UserQuery& query) override {
    asked_raw = query;
    if (failure) return *failure;
    return raw;
  }
  Result<Ok> execute(const std::string&) override { return Ok{}; }
  Result<Ok> insert(const store::Block&, const std::string&) override { return Ok{}; }
  store::UserQuery asked_raw;
  store::UserAnswer raw;
  store::Table table{.names = {"1"}, .types = {"UInt8"}, .rows = {{"1"}}};

 private:
  Result<store::Table> answer() const {
    if (failure) return *failure;
    return table;
  }
};

class StoreWithEngine : public store::MemoryStore {
 public:
  OneCellEngine one_cell;
  store::Engine& engine() override { return one_cell; }
};

inline net::Request request_of(std::string method, std::string path, std::string body = {},
                               net::Headers query = {}) {
  return {.method = std::move(method),
          .path = std::move(path),
          .query = std::move(query),
          .headers = {},
          .body = std::move(body),
          .remote = "127.0.0.1:5"};
}

inline constexpr int64_t api_now_ns = diagnose::testing::start_ns + 75 * ns_per_s;

// Routes over a memory store, with a watch and a broker as in a server; the time stands still.
struct Api {
  StoreWithEngine store;
  ManualClock clock{api_now_ns};
  diagnose::EngineOptions engine;
  alert::Watch watch{store};
  Broker broker{actions::SigningKey::generate(), clock};
  Context context{store, clock, engine, &watch, &broker};
  Router router;

  net::Response call(const std::string& method, const std::string& path,
                     const std::string& body = {}, const net::Headers& query = {}) {
    return answer_now(router, request_of(method, "/api/auscult/v1" + path, body, query), context);
  }

  // The JSON of a 200.
  Json json(const std::string& method, const std::string& path, const std::string& body = {},
            const net::Headers& query = {}) {
    const auto response = call(method, path, body, query);
    EXPECT_EQ(response.status, 200) << response.body;
    const auto value = Json::parse(response.body);
    EXPECT_TRUE(value) << response.body;
    return value ? *value : Json();
  }

  // "400 message" of a refusal.
  std::string refusal(const std::string& method, const std::string& path,
                      const std::string& body = {}, const net::Headers& query = {}) {
    const auto response = call(method, path, body, query);
    const auto value = Json::parse(response.body);
    return std::to_string(response.status) + " " +
           (value ? (*value)["error"].string_or("") : response.body);
  }

  void add_event(const std::string& incident, const std::string& kind, Json detail,
                 int64_t time_ns = api_now_ns, const std::string& actor = "alert") {
    store::Batch batch;
    batch.events.push_back({.incident_id = incident,
                            .timestamp_ns = time_ns,
                            .kind = kind,
                            .actor = actor,
                            .detail = std::move(detail)});
    ASSERT_TRUE(store.write_and_wait(std::move(batch)));
  }
};

// A verdict as the engine records it.
inline Json verdict(const std::string& incident, const std::string& word = "fault") {
  const int64_t start_ns = diagnose::testing::start_ns;
  return diagnose::to_json(diagnose::Diagnosis{
      .verdict = word,
      .incident_id = incident,
      .trigger = "tasks wait",
      .started_at_ns = start_ns,
      .opened_at_ns = start_ns + 5 * ns_per_s,
      .concluded_at_ns = start_ns + 30 * ns_per_s,
      .nodes = {"node1"},
      .hypotheses = {{.fault = "cpu_contention", .state = diagnose::State::supported},
                     {.fault = "memory_reclaim", .state = diagnose::State::refuted}}});
}

}  // namespace auscult::serve
