// testdata/cluster_schema.sql holds what the schema is on a cluster; embedded_engine_test.cc has
// the engine parse each of its statements.

#include "store/cluster_sql.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "store/migrate.h"

namespace auscult::store {
namespace {

std::string refusal(std::string_view statement, std::string_view cluster = "main") {
  const auto made = cluster_statements(statement, cluster);
  return made ? "made" : made.error().message;
}

TEST(ClusterSql, the_schema_on_a_cluster_is_the_golden_file) {
  const char* source = std::getenv("AUSCULT_SOURCE_DIR");
  if (source == nullptr) GTEST_SKIP() << "AUSCULT_SOURCE_DIR is not set: run through ctest";
  const auto path = std::filesystem::path(source) / "src/store/testdata/cluster_schema.sql";
  const auto migrations = parse_migrations(embedded_schema());
  ASSERT_TRUE(migrations);
  std::string now;
  for (const Migration& migration : *migrations) {
    for (const std::string& statement : migration.statements) {
      const auto made = cluster_statements(statement, "main");
      ASSERT_TRUE(made) << made.error().message;
      for (const std::string& text : *made) now += text + ";\n\n";
    }
  }
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file(path, now));
  }
  const auto committed = read_file(path);
  ASSERT_TRUE(committed) << committed.error().message;
  EXPECT_EQ(*committed, now) << "UPDATE_GOLDEN=1 ctest -R store rewrites it";
}

TEST(ClusterSql, a_table_is_a_replicated_one_and_a_distributed_one_over_it) {
  const auto made = cluster_statements(
      "CREATE TABLE IF NOT EXISTS auscult.t\n(\n    a UInt64\n)\n"
      "ENGINE = ReplacingMergeTree(a)\nORDER BY (b, a)\n"
      "SETTINGS non_replicated_deduplication_window = 10",
      "my-cluster");
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_EQ(made->size(), 2U);
  EXPECT_EQ((*made)[0],
            "CREATE TABLE IF NOT EXISTS auscult.t_local ON CLUSTER 'my-cluster'\n(\n    a "
            "UInt64\n)\nENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/auscult/"
            "t', '{replica}', a)\nORDER BY (b, a)\nSETTINGS replicated_deduplication_window = 10");
  EXPECT_EQ((*made)[1],
            "CREATE TABLE IF NOT EXISTS auscult.t ON CLUSTER 'my-cluster' AS auscult.t_local\n"
            "ENGINE = Distributed('my-cluster', 'auscult', 't_local', cityHash64(b, a))");
}

TEST(ClusterSql, other_statements_go_where_they_belong) {
  const auto one = [](std::string_view statement) {
    const auto made = cluster_statements(statement, "c");
    return made && made->size() == 1 ? made->front() : refusal(statement);
  };
  EXPECT_EQ(one("CREATE DATABASE IF NOT EXISTS auscult"),
            "CREATE DATABASE IF NOT EXISTS auscult ON CLUSTER 'c'");
  EXPECT_EQ(one("CREATE OR REPLACE VIEW auscult.v AS\nSELECT 1"),
            "CREATE OR REPLACE VIEW auscult.v ON CLUSTER 'c' AS\nSELECT 1");
  EXPECT_EQ(one("DELETE FROM auscult.t WHERE a = 1"),
            "DELETE FROM auscult.t_local ON CLUSTER 'c' WHERE a = 1");
  EXPECT_EQ(one("INSERT INTO auscult.t (a) SELECT 1"), "INSERT INTO auscult.t (a) SELECT 1");
}

TEST(ClusterSql, what_it_cannot_translate_it_refuses) {
  EXPECT_NE(refusal("ALTER TABLE auscult.t ADD COLUMN b UInt8").find("more than MODIFY"),
            std::string::npos);
  EXPECT_NE(refusal("CREATE TABLE IF NOT EXISTS auscult.t (a UInt8) ENGINE = Memory ORDER BY a")
                .find("engine Memory"),
            std::string::npos);
  EXPECT_NE(refusal("CREATE TABLE IF NOT EXISTS auscult.t (a UInt8)").find("no engine"),
            std::string::npos);
  EXPECT_NE(refusal("CREATE TABLE IF NOT EXISTS auscult.t (a UInt8) ENGINE = MergeTree")
                .find("no ORDER BY"),
            std::string::npos);
  EXPECT_NE(refusal("DELETE FROM auscult. WHERE 1").find("a name is missing"), std::string::npos);
  for (const auto* cluster : {"", "a'b", "{x}"}) {
    EXPECT_NE(refusal("INSERT INTO auscult.t SELECT 1", cluster).find("names no cluster"),
              std::string::npos)
        << cluster;
  }
}

}  // namespace
}  // namespace auscult::store
