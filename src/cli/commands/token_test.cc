#include "base/yaml.h"
#include "cli/testing.h"
#include "serve/access.h"

namespace auscult::cli {
namespace {

using TokenCommand = CommandTest;

TEST_F(TokenCommand, prints_a_token_and_the_line_that_lets_it_in) {
  ASSERT_EQ(run({"token", "new", "--name", "grafana", "--role", "read"}), 0) << err_.str();
  std::istringstream lines(out_.str());
  std::string token;
  std::string line;
  std::getline(lines, token);
  std::getline(lines, line);

  const auto tokens = serve::read_tokens(*parse_yaml(line, "tokens.yaml"));
  ASSERT_TRUE(tokens) << tokens.error().message;
  const auto admission = serve::Access(*tokens).admit("Bearer " + token, serve::Role::read);
  EXPECT_TRUE(admission.admitted);
  EXPECT_EQ(admission.caller, "grafana");
}

TEST_F(TokenCommand, says_what_is_missing) {
  EXPECT_NE(usage_error({"token", "new", "--role", "read"}).find("--name"), std::string::npos);
  EXPECT_NE(usage_error({"token", "new", "--name", "a"}).find("--role"), std::string::npos);
  EXPECT_NE(usage_error({"token", "new", "--name", "a", "--role", "root"}).find("ingest"),
            std::string::npos);
  EXPECT_NE(usage_error({"token", "drop"}).find("new"), std::string::npos);
}

}  // namespace
}  // namespace auscult::cli
