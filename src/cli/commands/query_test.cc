#include <cstdlib>

#include "cli/testing_server.h"
#include "store/test_library.h"

namespace auscult::cli {
namespace {

using QueryCommand = ServedCommandTest;

TEST_F(QueryCommand, prints_a_table_json_or_jsonl) {
  api_.store.one_cell.table = {
      .names = {"n", "name"}, .types = {"UInt8", "String"}, .rows = {{"7", "x"}, {"8", "y"}}};

  EXPECT_EQ(ask({"query", "sql", "SELECT"}), 0) << err_.str();
  EXPECT_EQ(out_.str(), "n  name\n7  x\n8  y\n");
  EXPECT_EQ(ask({"query", "sql", "SELECT", "--format", "jsonl"}), 0);
  EXPECT_EQ(out_.str(), "{\"n\":7,\"name\":\"x\"}\n{\"n\":8,\"name\":\"y\"}\n");
  EXPECT_EQ(ask({"query", "sql", "SELECT", "--format", "json"}), 0);
  EXPECT_EQ((*Json::parse(out_.str()))["rows"].dump(), R"([[7,"x"],[8,"y"]])");
}

TEST_F(QueryCommand, passes_parameters_on) {
  EXPECT_EQ(ask({"query", "sql", "SELECT {a:String}", "--param", "a=b=c"}), 0) << err_.str();
  EXPECT_EQ(api_.store.one_cell.parameters, (store::Parameters{{"a", "b=c"}}));
}

TEST_F(QueryCommand, what_cannot_be_is_a_usage_error) {
  EXPECT_NE(usage_error({"query", "cypher", "x"}).find("use sql"), std::string::npos);
  EXPECT_NE(usage_error({"query", "sql", "x", "--param", "a"}).find("NAME=VALUE"),
            std::string::npos);
  usage_error({"query"});
  api_.store.one_cell.failure = Error{ErrorCode::invalid_input, "only reading"};
  EXPECT_EQ(ask({"query", "sql", "DROP"}), 2);
}

TEST_F(QueryCommand, asks_the_store_in_a_folder_where_no_server_runs) {
  const char* library = std::getenv("AUSCULT_LIBCHDB");
  if (const auto why = store::why_no_library(library); !why.empty()) GTEST_SKIP() << why;
  environment_.library = library;
  const auto folder = std::filesystem::path(data()) / "store";
  {
    const auto store = store::Store::open(
        {.engine = {.data = folder, .library = library}, .writer = {}}, system_clock());
    ASSERT_TRUE(store) << store.error().message;
    diagnose::testing::add_gauge(**store, "load", {}, {1, 2, 3});
  }

  EXPECT_EQ(run({"query", "sql", "SELECT count() AS n, sum(value) AS s FROM auscult.samples",
                 "--data", data(), "--format", "jsonl"}),
            0)
      << err_.str();
  EXPECT_EQ(out_.str(), "{\"n\":3,\"s\":6}\n");
}

}  // namespace
}  // namespace auscult::cli
