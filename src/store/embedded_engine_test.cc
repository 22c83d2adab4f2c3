// The embedded engine on the real libchdb, where there is one.

#include <gtest/gtest.h>

#include <cstdlib>

#include "store/cluster_sql.h"
#include "store/engine.h"
#include "store/libchdb.h"
#include "store/migrate.h"
#include "store/row_binary.h"
#include "store/test_folder.h"
#include "store/test_library.h"
#include "store/user_sql_attempts.h"

namespace auscult::store {
namespace {

namespace fs = std::filesystem;

class EmbeddedEngineTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* library = std::getenv("AUSCULT_LIBCHDB");
    library_ = library == nullptr ? "" : library;
    if (const auto why = why_no_library(library); !why.empty()) GTEST_SKIP() << why;
    open();
  }

  void open() {
    auto engine = open_embedded(options());
    ASSERT_TRUE(engine) << engine.error().message;
    engine_ = *std::move(engine);
  }

  EmbeddedOptions options() const { return {.data = folder_.path() / "data", .library = library_}; }

  // The one cell of the result, or the error.
  std::string cell(const Query& query) {
    const auto table = engine_->query(query);
    if (!table) return "error: " + table.error().message;
    return table->rows.empty() ? "no rows" : table->rows[0][0];
  }

  void execute(const std::string& sql) {
    const auto done = engine_->execute(sql);
    ASSERT_TRUE(done) << sql << ": " << done.error().message;
  }

  void make_pairs() {
    execute(
        "CREATE TABLE pairs (a UInt64, b Float64) ENGINE = MergeTree ORDER BY a "
        "SETTINGS non_replicated_deduplication_window = 100");
  }

  static Block pairs(uint64_t n) {
    Block block{.table = "pairs", .columns = "a, b", .data = {}, .rows = n};
    for (uint64_t i = 0; i < n; ++i) {
      put_number(block.data, i);
      put_number(block.data, static_cast<double>(i));
    }
    return block;
  }

  TestFolder folder_{testing::TempDir(), "engine"};
  fs::path library_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(EmbeddedEngineTest, binds_parameters_of_any_content) {
  for (const std::string value :
       {"plain", "it's", "tab\tline\nback\\slash", "\\N", "", "'; DROP TABLE x", "\\"}) {
    EXPECT_EQ(cell({"SELECT {x:String}", {{"x", value}}}), value);
  }
  EXPECT_EQ(cell({"SELECT {x:Array(String)}[2]", {{"x", "['a','b\\\\\\'c']"}}}), "b\\'c");
  EXPECT_EQ(cell({"SELECT {x:Int64} + 1", {{"x", "-5"}}}), "-4");
}

TEST_F(EmbeddedEngineTest, keeps_every_row_of_a_large_insert) {
  make_pairs();
  const auto done = engine_->insert(pairs(300'000), "t");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(cell({"SELECT count() FROM pairs", {}}), "300000");
  EXPECT_EQ(cell({"SELECT sum(a) FROM pairs", {}}), "44999850000");
}

TEST_F(EmbeddedEngineTest, stores_the_same_token_once_also_after_it_was_opened_again) {
  make_pairs();
  ASSERT_TRUE(engine_->insert(pairs(3'000), "one"));
  ASSERT_TRUE(engine_->insert(pairs(3'000), "one"));
  EXPECT_EQ(cell({"SELECT count() FROM pairs", {}}), "3000");
  engine_.reset();
  open();
  ASSERT_TRUE(engine_->insert(pairs(3'000), "one"));
  EXPECT_EQ(cell({"SELECT count() FROM pairs", {}}), "3000");
  ASSERT_TRUE(engine_->insert(pairs(3'000), "two"));
  EXPECT_EQ(cell({"SELECT count() FROM pairs", {}}), "6000");
}

TEST_F(EmbeddedEngineTest, an_insert_of_damaged_rows_fails_whole) {
  make_pairs();
  Block block = pairs(10);
  block.data.resize(block.data.size() - 3);
  EXPECT_FALSE(engine_->insert(block, "t"));
  block = pairs(10);
  block.rows = 11;
  const auto done = engine_->insert(block, "u");
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("10 of 11 rows"), std::string::npos) << done.error().message;
}

TEST_F(EmbeddedEngineTest, too_many_rows_are_an_error_and_never_cut) {
  EXPECT_EQ(engine_->query({"SELECT number FROM numbers(1000000)", {}})->rows.size(), 1'000'000U);
  const auto table = engine_->query({"SELECT number FROM numbers(1000001)", {}});
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, ErrorCode::invalid_input) << table.error().message;
}

TEST_F(EmbeddedEngineTest, a_query_that_needs_too_much_memory_fails_alone) {
  engine_.reset();
  EmbeddedOptions small = options();
  small.max_memory_bytes = uint64_t{64} << 20U;
  auto engine = open_embedded(small);
  ASSERT_TRUE(engine) << engine.error().message;
  const auto table =
      (*engine)->query({"SELECT uniqExact(toString(number)) FROM numbers(5000000)", {}});
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, ErrorCode::unavailable) << table.error().message;
  EXPECT_TRUE((*engine)->query({"SELECT 1", {}}));
}

// Measured on libchdb 26.7: what a failed statement had printed stood before the next one's result.
TEST_F(EmbeddedEngineTest, after_a_statement_that_failed_the_next_answers_for_itself) {
  for (int round = 0; round < 5; ++round) {
    EXPECT_FALSE(engine_->query_user("SELECT throwIf(number = 3) FROM numbers(10)", {}));
    const auto user = engine_->query_user("SELECT 42", {});
    ASSERT_TRUE(user) << user.error().message;
    EXPECT_EQ(user->rows, (std::vector<std::vector<std::string>>{{"42"}}));
    EXPECT_FALSE(
        engine_->query({.sql = "SELECT throwIf(number = 3) FROM numbers(10)", .parameters = {}}));
    const auto own = engine_->query({.sql = "SELECT 43", .parameters = {}});
    ASSERT_TRUE(own) << own.error().message;
    EXPECT_EQ(own->rows, (std::vector<std::vector<std::string>>{{"43"}}));
  }
}

// No cluster is at hand: the engine's parser is, and it has the grammar of both.
TEST_F(EmbeddedEngineTest, the_schema_of_a_cluster_parses) {
  const auto migrations = parse_migrations(embedded_schema());
  ASSERT_TRUE(migrations);
  for (const Migration& migration : *migrations) {
    for (const std::string& statement : migration.statements) {
      const auto made = cluster_statements(statement, "main");
      ASSERT_TRUE(made) << made.error().message;
      for (const std::string& text : *made) execute("EXPLAIN AST " + text);
    }
  }
  execute("EXPLAIN AST DELETE FROM auscult.samples_local ON CLUSTER 'main' WHERE id = 1");
  EXPECT_FALSE(engine_->execute("EXPLAIN AST CREATE TABLE x ON CLUSTER ('main')"));
}

TEST_F(EmbeddedEngineTest, a_second_opener_is_told_who_has_the_folder) {
  const auto second = open_embedded(options());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::unavailable);
  EXPECT_EQ(second.error().message,
            "store " + options().data.string() + " is in use by another process (pid " +
                std::to_string(::getpid()) + "): stop it or choose another --data");
}

TEST_F(EmbeddedEngineTest, a_second_folder_in_one_process_is_refused_clearly) {
  EmbeddedOptions other = options();
  other.data = folder_.path() / "other";
  const auto second = open_embedded(other);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("one store at a time"), std::string::npos)
      << second.error().message;
}

TEST_F(EmbeddedEngineTest, a_missing_library_names_the_command_that_fetches_it) {
  const auto missing = Libchdb::load(folder_.path() / "none.so");
  ASSERT_FALSE(missing);
}

TEST_F(EmbeddedEngineTest, user_sql_reads_the_store) {
  make_pairs();
  ASSERT_TRUE(engine_->insert(pairs(10), "t"));
  for (const std::string sql : reads) {
    const auto table = engine_->query_user(sql, {});
    EXPECT_TRUE(table) << sql << "\n" << (table ? "" : table.error().message);
  }
  EXPECT_EQ(engine_->query_user("SELECT {n:UInt64} + 1", {{"n", "4"}})->rows[0][0], "5");
}

TEST_F(EmbeddedEngineTest, user_sql_that_writes_or_reaches_outside_is_refused) {
  make_pairs();
  for (const std::string& sql : attempts_in(folder_.path())) {
    const auto table = engine_->query_user(sql, {});
    ASSERT_FALSE(table) << "ran: " << sql;
    EXPECT_EQ(table.error().code, ErrorCode::invalid_input) << sql << "\n" << table.error().message;
    EXPECT_EQ(table.error().message.find('\n'), std::string::npos) << sql;
  }
  EXPECT_FALSE(fs::exists(folder_.path() / "out.csv"));
  EXPECT_EQ(cell({"SELECT count() FROM pairs", {}}), "0");  // it is still there
}

TEST_F(EmbeddedEngineTest, a_table_has_no_format_of_the_users) {
  const auto table = engine_->query_user("SELECT 1 FORMAT JSON", {});
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().message, "refused: FORMAT: leave it out, the caller chooses it");
}

TEST_F(EmbeddedEngineTest, a_parameter_cannot_name_a_table_outside) {
  const auto table = engine_->query_user("SELECT * FROM {d:Identifier}.{t:Identifier}",
                                         {{"d", "system"}, {"t", "users"}});
  ASSERT_FALSE(table);
  EXPECT_NE(table.error().message.find("refused: table system.users"), std::string::npos)
      << table.error().message;
}

TEST_F(EmbeddedEngineTest, a_typing_error_in_user_sql_is_located) {
  const auto table = engine_->query_user("SELEC 1", {});
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, ErrorCode::invalid_input);
  EXPECT_NE(table.error().message.find("yntax error"), std::string::npos) << table.error().message;
  const auto unknown = engine_->query_user("SELECT nothing FROM nowhere", {});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::invalid_input) << unknown.error().message;
}

TEST_F(EmbeddedEngineTest, user_sql_has_a_length) {
  const auto table = engine_->query_user("SELECT 1" + std::string(256 << 10, ' '), {});
  ASSERT_FALSE(table);
  EXPECT_NE(table.error().message.find("256 KiB"), std::string::npos);
}

}  // namespace
}  // namespace auscult::store
