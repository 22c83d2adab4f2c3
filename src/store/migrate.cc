#include "store/migrate.h"

#include <algorithm>

#include "base/text.h"

namespace auscult::store {
namespace {

// The text without its comment lines, cut where a line ends with a semicolon.
std::vector<std::string> parse_statements(std::string_view text) {
  std::vector<std::string> statements;
  std::string statement;
  for (const std::string_view line : split(text, '\n')) {
    if (trim(line).starts_with("--")) continue;
    statement += line;
    statement += '\n';
    const std::string_view whole = trim(statement);
    if (!whole.ends_with(';')) continue;
    statements.emplace_back(whole.substr(0, whole.size() - 1));
    statement.clear();
  }
  if (!trim(statement).empty()) statements.emplace_back(trim(statement));
  return statements;
}

}  // namespace

Result<std::vector<Migration>> parse_migrations(const std::vector<EmbeddedFile>& files) {
  std::vector<Migration> migrations;
  for (const EmbeddedFile& file : files) {
    const std::string_view name = file.path.substr(file.path.rfind('/') + 1);
    const auto version = to_uint(name.substr(0, name.find('_')));
    if (!version || *version == 0 || !name.ends_with(".sql")) {
      return Error{ErrorCode::invalid_input,
                   std::string(file.path) + ": a migration is called <number>_<name>.sql"};
    }
    migrations.push_back({*version, std::string(name), parse_statements(file.text)});
  }
  std::sort(migrations.begin(), migrations.end(),
            [](const Migration& a, const Migration& b) { return a.version < b.version; });
  for (size_t i = 1; i < migrations.size(); ++i) {
    if (migrations[i].version == migrations[i - 1].version) {
      return Error{ErrorCode::invalid_input,
                   migrations[i].name + " has the number of " + migrations[i - 1].name};
    }
  }
  return migrations;
}

Result<Ok> migrate(Engine& engine, const std::vector<Migration>& migrations) {
  TRY(
      engine.execute("CREATE TABLE IF NOT EXISTS auscult.schema_migrations "
                     "(version UInt64, name String, applied_at DateTime('UTC') DEFAULT now()) "
                     "ENGINE = MergeTree ORDER BY version"));
  const Table applied = TRY(engine.query(
      {.sql = "SELECT max(version) FROM auscult.schema_migrations", .parameters = {}}));
  const uint64_t current = applied.rows.empty() ? 0 : to_uint(applied.rows[0][0]).value_or(0);
  const uint64_t newest = migrations.empty() ? 0 : migrations.back().version;
  if (current > newest) {
    return Error{ErrorCode::invalid_input,
                 "the store has schema version " + std::to_string(current) +
                     ", this program knows up to " + std::to_string(newest) +
                     ": use the newer auscult that wrote it"};
  }
  for (const Migration& migration : migrations) {
    if (migration.version <= current) continue;
    for (const std::string& statement : migration.statements) {
      TRY(engine.execute(statement), "migration " + migration.name);
    }
    TRY(engine.execute("INSERT INTO auscult.schema_migrations (version, name) SELECT " +
                       std::to_string(migration.version) + ", '" + migration.name + "'"),
        "migration " + migration.name);
  }
  return Ok{};
}

}  // namespace auscult::store
