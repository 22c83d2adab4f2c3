#include "serve/testing.h"

namespace auscult::serve {
namespace {

TEST(HealthRoute, a_process_that_answers_is_alive_whatever_its_store_does) {
  Api api;
  api.store.one_cell.failure = Error{ErrorCode::internal, "broken"};
  const auto response = answer_now(api.router, request_of("GET", "/healthz"), api.context);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "ok\n");
}

TEST(HealthRoute, it_is_ready_when_the_store_answers) {
  Api api;
  EXPECT_EQ(answer_now(api.router, request_of("GET", "/readyz"), api.context).status, 200);

  api.store.one_cell.failure = Error{ErrorCode::unavailable, "busy"};
  const auto response = answer_now(api.router, request_of("GET", "/readyz"), api.context);
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.body, R"({"error":"the store: busy"})");
}

TEST(HealthRoute, a_server_is_known_by_the_key_of_its_folder) {
  Api api;
  EXPECT_EQ(api.json("GET", "/server")["public_key"], Json(api.broker.public_key_base64()));

  api.context.broker = nullptr;
  EXPECT_EQ(api.refusal("GET", "/server"), "503 no server runs");
}

}  // namespace
}  // namespace auscult::serve
