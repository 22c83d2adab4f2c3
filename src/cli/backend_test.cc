#include "cli/backend.h"

#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "cli/testing_server.h"

namespace auscult::cli {
namespace {

class BackendTest : public ServedCommandTest {
 protected:
  // The backend that the options open, or the error's message.
  std::unique_ptr<Backend> open(const BackendOptions& options) {
    auto backend = open_backend(options, environment_);
    if (!backend) message_ = backend.error().message;
    return backend ? *std::move(backend) : nullptr;
  }
  // What the server of the folder left there.
  void leave_address(const std::string& address, uint16_t port) {
    const std::filesystem::path folder = data();
    ASSERT_TRUE(make_folder(folder));
    ASSERT_TRUE(write_file(folder / "signing.pub", api_.broker.public_key_base64() + "\n"));
    ASSERT_TRUE(write_file(folder / "server.json",
                           "{\"pid\": " + std::to_string(::getpid()) + ", \"address\": \"" +
                               address + "\", \"http_port\": " + std::to_string(port) + "}"));
  }
  std::string message_;
};

TEST_F(BackendTest, a_server_by_its_url_answers) {
  const auto backend = open({.server = url(), .data = {}});
  ASSERT_NE(backend, nullptr) << message_;
  const auto tasks = backend->get_json("/tasks");
  ASSERT_TRUE(tasks) << tasks.error().message;
  EXPECT_FALSE((*tasks)["tasks"].array().empty());
}

TEST_F(BackendTest, the_server_that_runs_on_the_folder_is_found) {
  leave_address("127.0.0.1", server_->port());

  for (const auto& options : {BackendOptions{.server = {}, .data = data()}, BackendOptions{}}) {
    const auto backend = open(options);
    ASSERT_NE(backend, nullptr) << message_;
    EXPECT_TRUE(backend->get_json("/nodes"));
  }
}

TEST_F(BackendTest, a_server_on_an_ipv6_address_is_found) {
  auto server = net::HttpServer::start(
      {.address = "::1"}, [this](const net::Request& request, const net::Reply& reply) {
        reply(serve::answer_now(api_.router, request, api_.context));
      });
  if (!server) GTEST_SKIP() << "no IPv6 here: " << server.error().message;
  leave_address("::1", (*server)->port());

  const auto backend = open({.server = {}, .data = data()});
  ASSERT_NE(backend, nullptr) << message_;
  EXPECT_TRUE(backend->get_json("/nodes"));
}

TEST_F(BackendTest, the_address_of_a_server_that_was_killed_is_not_asked) {
  server_ = *net::HttpServer::start({}, [](const net::Request&, const net::Reply& reply) {
    reply(net::text_response(200, "ok\n"));
  });
  leave_address("127.0.0.1", server_->port());

  EXPECT_EQ(open({.server = {}, .data = data()}), nullptr);
  EXPECT_NE(message_.find("there is no store"), std::string::npos) << message_;
}

TEST_F(BackendTest, without_server_and_store_it_says_what_to_do) {
  EXPECT_EQ(open({.server = {}, .data = data()}), nullptr);
  EXPECT_NE(message_.find("--data DIR or --server URL"), std::string::npos) << message_;
  EXPECT_FALSE(std::filesystem::exists(data())) << "asking creates nothing";
}

TEST_F(BackendTest, the_status_of_an_answer_is_the_code_of_the_error) {
  const auto backend = open({.server = url(), .data = {}});
  const auto missing = backend->get("/incidents/none");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
  EXPECT_EQ(missing.error().message, "there is no incident 'none'");
  EXPECT_EQ(backend->post("/diagnose", Json(Json::Object{})).error().code,
            ErrorCode::invalid_input);
  api_.store.fail_writes(Error{ErrorCode::unavailable, "full"});
  EXPECT_EQ(backend->post("/diagnose", Json(Json::Object{{"node_id", "n"}})).error().code,
            ErrorCode::unavailable);
}

TEST_F(BackendTest, what_stands_in_a_query_arrives_as_it_is) {
  const auto backend = open({.server = url(), .data = {}});
  const auto refused =
      backend->get("/benchmarks/results", {{"node", "a&since=1h #"}, {"since", "x y"}});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("x y"), std::string::npos) << refused.error().message;
}

TEST_F(BackendTest, a_server_that_is_gone_is_unavailable) {
  const auto gone = url();
  server_.reset();
  const auto backend = open({.server = gone, .data = {}});
  ASSERT_NE(backend, nullptr) << message_;
  const auto answer = backend->get("/nodes");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
}

// Answers what came as the header Authorization.
class TokenTest : public CommandTest {
 protected:
  std::string sent(const BackendOptions& options) {
    auto server = net::HttpServer::start({}, [](const net::Request& request,
                                                const net::Reply& reply) {
      reply(net::text_response(200, std::string(net::header(request.headers, "Authorization"))));
    });
    EXPECT_TRUE(server);
    BackendOptions where = options;
    where.server = "http://127.0.0.1:" + std::to_string((*server)->port());
    const auto backend = open_backend(where, environment_);
    if (!backend) return backend.error().message;
    return *(*backend)->get("/nodes");
  }
};

TEST_F(TokenTest, the_token_of_the_file_goes_before_that_of_the_environment) {
  const auto file = (folder_.path() / "token").string();
  ASSERT_TRUE(write_file(file, "of-the-file\n"));

  EXPECT_EQ(sent({}), "");
  environment_.token = "of-the-environment";
  EXPECT_EQ(sent({}), "Bearer of-the-environment");
  EXPECT_EQ(sent({.token = file}), "Bearer of-the-file");
  EXPECT_NE(sent({.token = file + ".no"}).find("token.no"), std::string::npos);
}

TEST_F(TokenTest, a_refusal_is_a_matter_of_configuration) {
  auto server = net::HttpServer::start({}, [](const net::Request&, const net::Reply& reply) {
    reply(net::json_response(401, R"({"error":"this needs a token"})"));
  });
  ASSERT_TRUE(server);
  const auto status = run(
      {"incident", "list", "--server", "http://127.0.0.1:" + std::to_string((*server)->port())});

  EXPECT_EQ(status, 2);
  EXPECT_NE(err_.str().find("this needs a token"), std::string::npos) << err_.str();
}

}  // namespace
}  // namespace auscult::cli
