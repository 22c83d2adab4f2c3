#include "store/migrate.h"

#include <gtest/gtest.h>

#include "store/fake_engine.h"

namespace auscult::store {
namespace {

// Reports a schema version and remembers what ran.
class VersionedEngine : public FakeEngine {
 public:
  explicit VersionedEngine(uint64_t version) : version_(version) {}
  Result<Table> query(const Query&) override {
    return Table{.names = {"v"}, .types = {"UInt64"}, .rows = {{std::to_string(version_)}}};
  }
  Result<Ok> execute(const std::string& sql) override {
    if (sql == fail_on) return Error{ErrorCode::internal, "failed"};
    return FakeEngine::execute(sql);
  }
  std::string fail_on;

 private:
  uint64_t version_;
};

const std::vector<EmbeddedFile> files = {
    {"s/002_b.sql", "CREATE b;\n"},
    {"s/001_a.sql", "-- with; a comment;\nCREATE a\n(\n  x;y\n);\n\nCREATE a2;\n"}};

TEST(Migrate, reads_numbers_and_statements) {
  const auto migrations = parse_migrations(files);
  ASSERT_TRUE(migrations) << migrations.error().message;
  ASSERT_EQ(migrations->size(), 2U);
  EXPECT_EQ(migrations->front().version, 1U);
  EXPECT_EQ(migrations->front().statements,
            (std::vector<std::string>{"CREATE a\n(\n  x;y\n)", "CREATE a2"}));
}

TEST(Migrate, names_a_file_that_does_not_follow_the_rule) {
  EXPECT_FALSE(parse_migrations({{"s/first.sql", "x;"}}));
  EXPECT_FALSE(parse_migrations({{"s/001_a.sql", "x;"}, {"s/001_b.sql", "x;"}}));
}

TEST(Migrate, runs_only_the_steps_that_are_missing_and_records_them) {
  VersionedEngine engine(1);
  ASSERT_TRUE(migrate(engine, *parse_migrations(files)));
  ASSERT_EQ(engine.executed().size(), 3U);
  EXPECT_EQ(engine.executed()[1], "CREATE b");
  EXPECT_NE(engine.executed()[2].find("SELECT 2, '002_b.sql'"), std::string::npos);
}

TEST(Migrate, a_step_that_failed_is_not_recorded) {
  VersionedEngine engine(0);
  engine.fail_on = "CREATE a2";
  const auto done = migrate(engine, *parse_migrations(files));
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("001_a.sql"), std::string::npos);
  EXPECT_EQ(engine.executed().back(), "CREATE a\n(\n  x;y\n)");
}

TEST(Migrate, a_newer_database_is_refused) {
  VersionedEngine engine(3);
  const auto done = migrate(engine, *parse_migrations(files));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::invalid_input);
}

TEST(Migrate, the_programs_own_steps_follow_the_rules) {
  const auto migrations = parse_migrations(embedded_schema());
  ASSERT_TRUE(migrations) << migrations.error().message;
  ASSERT_GE(migrations->size(), 2U);
  for (const Migration& migration : *migrations) {
    for (const std::string& statement : migration.statements) {
      // What may run again and gives the same then.
      EXPECT_TRUE(statement.starts_with("CREATE TABLE IF NOT EXISTS auscult.") ||
                  statement.starts_with("CREATE OR REPLACE VIEW auscult.") ||
                  (statement.starts_with("ALTER TABLE auscult.") &&
                   statement.find("    MODIFY ") != std::string::npos))
          << statement;
    }
  }
}

}  // namespace
}  // namespace auscult::store
