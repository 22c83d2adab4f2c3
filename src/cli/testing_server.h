// An API server on a store in memory, for commands that ask one.
#pragma once

#include "cli/testing.h"
#include "net/server.h"
#include "serve/testing.h"

namespace auscult::cli {

class ServedCommandTest : public CommandTest {
 protected:
  ServedCommandTest() {
    auto server =
        net::HttpServer::start({}, [this](const net::Request& request, const net::Reply& reply) {
          reply(serve::answer_now(api_.router, request, api_.context));
        });
    EXPECT_TRUE(server) << server.error().message;
    server_ = *std::move(server);
  }

  // The command, asking the server.
  int ask(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--server", url()});
    return run(arguments);
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_->port()); }

  // An incident with a verdict.
  void add_incident(const std::string& id, const std::string& word = "fault") {
    api_.add_event(id, "opened",
                   Json(Json::Object{{"node_id", "node1"}, {"trigger", "tasks wait"}}));
    api_.add_event(id, "verdict", serve::verdict(id, word));
  }

  serve::Api api_;
  std::unique_ptr<net::HttpServer> server_;
};

}  // namespace auscult::cli
