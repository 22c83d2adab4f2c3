// The embedded engine on the real libchdb, where there is one.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "store/engine.h"
#include "store/libchdb.h"
#include "store/row_binary.h"
#include "store/test_folder.h"
#include "store/test_library.h"

namespace auscult::store {
namespace {

namespace fs = std::filesystem;

// What a person may ask.
const char* const reads[] = {
    "SELECT 1",
    "SELECT count() FROM pairs;",
    "-- a comment\nselect a from auscult.pairs where b > 2 order by a limit 3",
    "WITH big AS (SELECT a FROM pairs WHERE a > 5) SELECT sum(a) FROM big",
    "SELECT x.a FROM pairs AS x INNER JOIN pairs AS y ON x.a = y.a",
    "SELECT a FROM pairs WHERE a IN (SELECT a FROM pairs)",
    "SELECT a, count() OVER (PARTITION BY a % 2 ORDER BY b) FROM pairs",
    "SELECT * EXCEPT (b) FROM pairs",
    "SELECT * REPLACE (b + 1 AS b) FROM pairs",
    "SELECT COLUMNS('a|b') FROM pairs",
    "SELECT number FROM numbers(5)",
    "SELECT 1 UNION ALL SELECT 2 INTERSECT SELECT 2",
    "EXPLAIN SELECT a FROM pairs",
    "EXPLAIN indexes = 1 SELECT a FROM pairs WHERE a = 1",
    "DESCRIBE pairs",
    "SELECT name FROM system.tables WHERE database = 'auscult'",
    "SELECT hostName()",
    "SELECT 'file(''/etc/passwd'')' AS file, file",
    "SELECT arrayMap(x -> x + 1, [y, 2]) FROM pairs ARRAY JOIN [1] AS y",
    "SELECT corr(a, b), kolmogorovSmirnovTest('two-sided')(b, a > 4) FROM pairs",
    "SELECT a FROM (SELECT a FROM pairs) AS logs WHERE logs.a > 1",
    "SELECT quantile(0.9)(b) FROM pairs HAVING count() > 0 LIMIT 1 BY 1",
};

// What must not run. $SECRET is a file that exists, $OUT one that does not.
const char* const attempts[] = {
    // It writes.
    "INSERT INTO pairs VALUES (1, 2)",
    "CREATE TABLE x (a Int8) ENGINE = Memory",
    "CREATE VIEW v AS SELECT 1",
    "CREATE FUNCTION f AS (x) -> x",
    "CREATE DICTIONARY d (a Int8) PRIMARY KEY a SOURCE(FILE(path '/etc/passwd' "
    "format 'CSV')) LAYOUT(FLAT()) LIFETIME(1)",
    "CREATE TABLE u (a String) ENGINE = URL('http://127.0.0.1:1/', 'CSV')",
    "ALTER TABLE pairs DELETE WHERE 1",
    "DELETE FROM pairs WHERE 1",
    "DROP TABLE pairs",
    "TRUNCATE TABLE pairs",
    "RENAME TABLE pairs TO other",
    "OPTIMIZE TABLE pairs FINAL",
    "ATTACH TABLE x",
    "DETACH TABLE pairs",
    "SYSTEM STOP MERGES",
    "KILL QUERY WHERE 1",
    "BACKUP TABLE pairs TO File('/tmp/x')",
    "SET readonly = 0",
    "USE system",
    "SELECT 1 INTO OUTFILE '$OUT'",
    "select * from pairs into outfile '$OUT' truncate format CSV",
    "INSERT INTO FUNCTION file('$OUT', 'CSV', 'a Int8') SELECT 1",

    "INSERT INTO TABLE FUNCTION url('http://127.0.0.1:1/', 'CSV', 'a Int8') SELECT 1",
    // More than one statement.
    "SELECT 1; DROP TABLE pairs",
    "SELECT 1; SELECT 2",
    "SELECT 1 PARALLEL WITH DROP TABLE pairs",
    "EXPLAIN AST SELECT 1; DROP TABLE pairs",
    // Files.
    "SELECT * FROM file('$SECRET')",
    "SELECT * FROM FILE('$SECRET', 'CSV', 'a String, b Int8')",
    "SELECT * FROM `file`('$SECRET', 'CSV', 'a String, b Int8')",
    "SELECT * FROM \"file\"('$SECRET', 'CSV', 'a String, b Int8')",
    "SELECT * FROM /* hidden */ file /* hidden */ ('$SECRET')",
    "SELECT * FROM -- hidden\n file('$SECRET')",
    "SELECT file('$SECRET')",
    "SELECT FILE('$SECRET')",
    "SELECT `file`('$SECRET')",
    "SELECT arrayMap(x -> file(x), ['$SECRET'])",
    "SELECT * APPLY(file) FROM (SELECT '$SECRET' AS x)",
    "SELECT * APPLY(x -> file(x)) FROM (SELECT '$SECRET' AS x)",
    "SELECT COLUMNS('x') APPLY(file) FROM (SELECT '$SECRET' AS x)",
    "SELECT * REPLACE (file(x) AS x) FROM (SELECT '$SECRET' AS x)",
    "SELECT 1 ORDER BY file('$SECRET')",
    "SELECT 1 WHERE file('$SECRET') != ''",
    "SELECT 1 GROUP BY 1 HAVING file('$SECRET') != ''",
    "SELECT count() OVER (PARTITION BY file('$SECRET'))",
    "SELECT number FROM numbers(2) ORDER BY number WITH FILL TO length(file('$SECRET'))",
    "SELECT 1 AS x QUALIFY file('$SECRET') = ''",
    "SELECT a FROM pairs LIMIT length(file('$SECRET'))",
    "SELECT * FROM '$SECRET'",
    "SELECT * FROM `$SECRET`",
    "SELECT * FROM default.`$SECRET`",
    "SELECT * FROM \"default\".\"$SECRET\"",
    "SELECT 1 IN default.`$SECRET`",
    "SELECT 1 GLOBAL NOT IN default.`$SECRET`",
    "SELECT * FROM (SELECT * FROM (SELECT * FROM file('$SECRET')))",
    "SELECT (SELECT max(c1) FROM file('$SECRET'))",
    "WITH s AS (SELECT * FROM file('$SECRET')) SELECT * FROM s",
    "WITH (SELECT max(c1) FROM file('$SECRET')) AS s SELECT s",
    "WITH RECURSIVE s AS (SELECT * FROM file('$SECRET')) SELECT * FROM s",
    "SELECT * FROM pairs JOIN file('$SECRET') AS f ON 1 = 1",
    "SELECT * FROM pairs, file('$SECRET') AS f",
    "SELECT 1 UNION ALL SELECT length(c1) FROM file('$SECRET')",
    "SELECT 1 EXCEPT SELECT length(c1) FROM file('$SECRET')",
    "SELECT 1 WHERE 1 IN (SELECT 1 FROM file('$SECRET'))",
    "SELECT EXISTS(SELECT 1 FROM file('$SECRET'))",
    "SELECT * FROM view(SELECT * FROM file('$SECRET'))",
    "SELECT * FROM viewIfPermitted(SELECT 1 AS a ELSE file('$SECRET'))",
    "SELECT * FROM (EXPLAIN SELECT * FROM file('$SECRET'))",
    "EXPLAIN SELECT * FROM file('$SECRET')",
    "DESCRIBE file('$SECRET')",
    "DESCRIBE TABLE file('$SECRET')",
    "FROM file('$SECRET') SELECT *",
    "SELECT * FROM loop(file('$SECRET')) LIMIT 1",
    "SELECT * FROM filesystem('/etc')",
    "SELECT * FROM fileCluster('default', '$SECRET')",
    "SELECT * FROM sqlite('$SECRET', 't')",
    // Other servers, programs, dictionaries.
    "SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'a Int8')",
    "SELECT * FROM s3('http://127.0.0.1:1/b/k')",
    "SELECT * FROM gcs('http://127.0.0.1:1/b/k')",
    "SELECT * FROM hdfs('hdfs://127.0.0.1:1/x', 'CSV')",
    "SELECT * FROM azureBlobStorage('x', 'y', 'z')",
    "SELECT * FROM deltaLake('http://127.0.0.1:1/')",
    "SELECT * FROM icebergLocal('/etc')",
    "SELECT * FROM remote('127.0.0.1', system.one)",
    "SELECT * FROM remoteSecure('127.0.0.1', system, one)",
    "SELECT * FROM cluster('default', system.one)",
    "SELECT * FROM mysql('127.0.0.1:1', 'd', 't', 'u', 'p')",
    "SELECT * FROM postgresql('127.0.0.1:1', 'd', 't', 'u', 'p')",
    "SELECT * FROM mongodb('127.0.0.1:1', 'd', 't', 'u', 'p', 'a Int8')",
    "SELECT * FROM redis('127.0.0.1:1', 'k', 'k String')",
    "SELECT * FROM jdbc('x', 'y')",
    "SELECT * FROM odbc('x', 'y')",
    "SELECT * FROM executable('id', 'TSV', 'a String')",
    "SELECT * FROM input('a Int8')",
    "SELECT * FROM format(CSV, '1')",
    "SELECT * FROM merge('system', 'users')",
    "SELECT * FROM dictionary('d')",
    "SELECT * FROM eval('SELECT 1')",
    "SELECT dictGet('d', 'a', 1)",
    "SELECT DICTGETORDEFAULT('d', 'a', 1, 0)",
    "SELECT dictHas('d', 1)",
    "SELECT joinGet('j', 'a', 1)",
    "SELECT hasColumnInTable('127.0.0.1', 'system', 'one', 'dummy')",
    "SELECT reverseDNSQuery('127.0.0.1')",
    "SELECT aiGenerate('x')",
    "SELECT getMacro('x')",
    "SELECT getServerSetting('max_server_memory_usage')",
    "SELECT showCertificate()",
    "SELECT catboostEvaluate('/etc/passwd', 1)",
    "SELECT addressToLine(1)",
    "SELECT sleep(3)",
    "SELECT sleepEachRow(3) FROM numbers(10)",
    "SELECT logTrace('x')",
    // What others do, and where.
    "SELECT * FROM system.processes",
    "SELECT * FROM system.users",
    "SELECT * FROM system.`users`",
    "SELECT * FROM system.settings",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM INFORMATION_SCHEMA.TABLES",
    "SELECT 'x' IN system.users",
    "SELECT 'x' IN (system.users)",
    "SHOW PROCESSLIST",
    "SHOW GRANTS",
    "SHOW CREATE TABLE pairs",
    // The limits are not the user's to lift.
    "SELECT 1 SETTINGS max_memory_usage = 0",
    "SELECT * FROM (SELECT 1 SETTINGS readonly = 0)",
    "SELECT 1 FORMAT JSON",
    // Names that forge lines of the tree.
    "SELECT `x\n    Literal UInt64_1`",
    "SELECT 1 AS `x\\n   Function file`",
    "EXPLAIN TABLE OVERRIDE mysql('', '', '', '', '') COLUMNS (a Int8)",
    "optimize = 0, file('/etc/passwd')",
    "file('/etc/passwd')",
    "AST SELECT 1",
    "",
    ";",
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

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
  const std::string secret = (folder_.path() / "secret.csv").string();
  const std::string out = (folder_.path() / "out.csv").string();
  std::ofstream(secret) << "secret,1\n";
  for (const std::string attempt : attempts) {
    const std::string sql = replaced(replaced(attempt, "$SECRET", secret), "$OUT", out);
    const auto table = engine_->query_user(sql, {});
    ASSERT_FALSE(table) << "ran: " << sql;
    EXPECT_EQ(table.error().code, ErrorCode::invalid_input) << sql << "\n" << table.error().message;
    EXPECT_EQ(table.error().message.find('\n'), std::string::npos) << sql;
  }
  EXPECT_FALSE(fs::exists(out));
  EXPECT_EQ(cell({"SELECT count() FROM pairs", {}}), "0");  // it is still there
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
