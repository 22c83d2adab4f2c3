#include "store/cluster_sql.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace auscult::store {
namespace {

constexpr std::string_view create_database = "CREATE DATABASE IF NOT EXISTS auscult";
constexpr std::string_view create_table = "CREATE TABLE IF NOT EXISTS auscult.";
constexpr std::string_view alter_table = "ALTER TABLE auscult.";
constexpr std::string_view create_view = "CREATE OR REPLACE VIEW auscult.";
constexpr std::string_view delete_from = "DELETE FROM auscult.";
constexpr std::string_view insert_into = "INSERT INTO auscult.";
constexpr std::string_view plain_window = "non_replicated_deduplication_window = ";

Error cannot(std::string_view why) {
  return {ErrorCode::invalid_input, "a statement for a cluster: " + std::string(why)};
}

bool is_name(std::string_view text, std::string_view also) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](unsigned char c) {
    return std::isalnum(c) != 0 || also.find(static_cast<char>(c)) != std::string_view::npos;
  });
}

// The word at the start, cut off `rest`.
Result<std::string> take_name(std::string_view& rest) {
  const auto end = std::find_if(rest.begin(), rest.end(),
                                [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; });
  std::string name(rest.begin(), end);
  if (name.empty()) return cannot("a name is missing");
  rest.remove_prefix(name.size());
  return name;
}

// "MergeTree" and "ReplacingMergeTree(announced_at)", replicated.
Result<std::string> replicated(std::string_view engine, const std::string& table) {
  const auto open = engine.find('(');
  const std::string_view kind = engine.substr(0, open);
  if (kind != "MergeTree" && kind != "ReplacingMergeTree") {
    return cannot("engine " + std::string(engine) + " has no replicated kind here");
  }
  std::string arguments = "'/clickhouse/tables/{shard}/auscult/" + table + "', '{replica}'";
  if (open != std::string_view::npos) {
    arguments += ", " + std::string(engine.substr(open + 1, engine.size() - open - 2));
  }
  return "Replicated" + std::string(kind) + "(" + arguments + ")";
}

// What follows a clause's keyword at the start of a line or after `ENGINE = ...`, to the line's
// end.
Result<std::string_view> clause(std::string_view text, std::string_view keyword) {
  const auto at = text.rfind(keyword);
  if (at == std::string_view::npos) return cannot("no " + std::string(trim(keyword)));
  const std::string_view rest = text.substr(at + keyword.size());
  return trim(rest.substr(0, rest.find('\n')));
}

Result<std::vector<std::string>> table_statements(std::string_view rest,
                                                  const std::string& on_cluster,
                                                  std::string_view cluster) {
  const std::string table = TRY(take_name(rest));
  constexpr std::string_view engine_word = "ENGINE = ";
  const auto engine_at = rest.rfind(engine_word);
  if (engine_at == std::string_view::npos) return cannot("table " + table + " has no engine");
  const std::string_view columns = rest.substr(0, engine_at);
  std::string_view tail = rest.substr(engine_at + engine_word.size());
  const auto engine_end = std::min(tail.find_first_of(" \n"), tail.size());
  const std::string engine = TRY(replicated(tail.substr(0, engine_end), table));
  tail.remove_prefix(engine_end);
  std::string_view key = TRY(clause(tail, "ORDER BY "));
  if (key.starts_with('(') && key.ends_with(')')) key = key.substr(1, key.size() - 2);

  std::string local = std::string(create_table) + table + "_local" + on_cluster +
                      std::string(columns) + std::string(engine_word) + engine + std::string(tail);
  if (const auto at = local.find(plain_window); at != std::string::npos) {
    local.replace(at, plain_window.size(), "replicated_deduplication_window = ");
  }
  std::string distributed = std::string(create_table) + table + on_cluster + " AS auscult." +
                            table + "_local\nENGINE = Distributed('" + std::string(cluster) +
                            "', 'auscult', '" + table + "_local', cityHash64(" + std::string(key) +
                            "))";
  return std::vector<std::string>{std::move(local), std::move(distributed)};
}

}  // namespace

Result<std::vector<std::string>> cluster_statements(std::string_view statement,
                                                    std::string_view cluster) {
  if (!is_name(cluster, "_-")) return cannot("'" + std::string(cluster) + "' names no cluster");
  const std::string on_cluster = " ON CLUSTER '" + std::string(cluster) + "'";
  const auto one = [](std::string text) { return std::vector<std::string>{std::move(text)}; };
  std::string_view rest = statement;
  if (statement == create_database) return one(std::string(statement) + on_cluster);
  if (statement.starts_with(create_table)) {
    rest.remove_prefix(create_table.size());
    return table_statements(rest, on_cluster, cluster);
  }
  if (statement.starts_with(alter_table)) {
    rest.remove_prefix(alter_table.size());
    const std::string table = TRY(take_name(rest));
    // How rows are kept concerns the local table only; a column more would concern both.
    if (!trim(rest).starts_with("MODIFY ") || rest.find(" ADD ") != std::string_view::npos) {
      return cannot("ALTER of table " + table + " that does more than MODIFY");
    }
    return one(std::string(alter_table) + table + "_local" + on_cluster + std::string(rest));
  }
  if (statement.starts_with(create_view)) {
    rest.remove_prefix(create_view.size());
    const std::string view = TRY(take_name(rest));
    return one(std::string(create_view) + view + on_cluster + std::string(rest));
  }
  if (statement.starts_with(delete_from)) {
    rest.remove_prefix(delete_from.size());
    const std::string table = TRY(take_name(rest));
    return one(std::string(delete_from) + table + "_local" + on_cluster + std::string(rest));
  }
  if (statement.starts_with(insert_into)) return one(std::string(statement));
  return cannot("'" + std::string(statement.substr(0, 40)) + "' is of no kind that is known here");
}

}  // namespace auscult::store
